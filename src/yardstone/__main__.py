"""``python -m yardstone`` is the command ``yardstone``."""

from yardstone.cli.main import main

raise SystemExit(main())
