"""`yardstone go nets`: the networks of KataGo that are kept, and getting one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.winprob.output import Output, TableFormat, TextOrJson, as_text, write

__all__ = []

Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="What to call it; by default the file's name.")
]
Replace = Annotated[
    bool, typer.Option("--replace", help="Take the place of another network of that name.")
]


def list_(
    known: Annotated[
        bool, typer.Option("--known", help="List what `download` knows by name instead.")
    ] = False,
    form: Annotated[
        TableFormat, typer.Option("--format", help="Text, CSV or JSON.")
    ] = TableFormat.text,
    output: Output = None,
) -> None:
    """List the networks that are kept.

    Examples
    --------
    yardstone go nets list
    yardstone go nets list --known
    yardstone go nets list --format json
    """
    from yardstone.go.nets.store import file_sha256, list_networks, networks_folder
    from yardstone.reports.go import networks

    if known:
        from dataclasses import asdict

        from yardstone.go.nets.known import KNOWN

        rows = [asdict(each) for each in KNOWN]
        columns: tuple[str, ...] = tuple(rows[0])
    else:
        kept = list_networks()
        rows = networks.plain_networks(kept, [file_sha256(each.path) for each in kept])
        columns = networks.COLUMNS
    if form is TableFormat.json:
        text = as_text(rows)
    elif form is TableFormat.csv:
        text = networks.networks_csv(rows, columns)
    elif known:
        text = networks.known_text(rows)
    else:
        text = networks.networks_text(rows, str(networks_folder()))
    write(text, output)


def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A network file of KataGo.")],
    name: Name = None,
    replace: Replace = False,
) -> None:
    """Copy a network file to those that are kept.

    Examples
    --------
    yardstone go nets add kata1-b18c384nbt-s9996604416-d4316597426.bin.gz --name b18
    """
    from yardstone.go.nets.store import add_network

    added = add_network(file, name=name, replace=replace)
    write(f"Added {added.name}: {added.path}\n", None)


def download(
    network: Annotated[
        str, typer.Argument(metavar="NETWORK", help="A known name (list --known), or an address.")
    ],
    name: Name = None,
    sha256: Annotated[
        str | None,
        typer.Option("--sha256", metavar="SUM", help="The SHA-256 of the file at an address."),
    ] = None,
    replace: Replace = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress.")] = False,
) -> None:
    """Download a network and verify it.

    An interrupted download is continued by the next call.

    Examples
    --------
    yardstone go nets download b6c96
    yardstone go nets download https://host/net.bin.gz --sha256 3f2a...
    """
    from yardstone.cli.progress import progress_bar
    from yardstone.go.nets.download import download_network
    from yardstone.go.nets.store import file_sha256

    progress = progress_bar("Downloading", quiet=quiet)
    got = download_network(network, sha256=sha256, name=name, replace=replace, progress=progress)
    write(f"Downloaded {got.name}: {got.path}\nSHA-256 {file_sha256(got.path)}\n", None)


def show(
    network: Annotated[
        str | None,
        typer.Argument(metavar="NETWORK", help="A file, or the name of a network that is kept."),
    ] = None,
    form: Annotated[TextOrJson, typer.Option("--format", help="Text or JSON.")] = TextOrJson.text,
    output: Output = None,
) -> None:
    """Describe a network.

    Without NETWORK it is the one that other commands would take.

    Examples
    --------
    yardstone go nets show b6c96
    yardstone go nets show some/file.bin.gz --format json
    """
    from yardstone.go.nets.describe import describe
    from yardstone.go.nets.model_file import read_model
    from yardstone.go.nets.store import find_network
    from yardstone.reports.go.networks import network_text

    file = find_network(network)
    facts = {**describe(read_model(file)), "size": file.stat().st_size, "file": str(file)}
    write(as_text(facts) if form is TextOrJson.json else network_text(facts), output)


def remove(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Networks that are kept.")],
) -> None:
    """Delete networks that are kept.

    Examples
    --------
    yardstone go nets remove b18
    """
    from yardstone.go.nets.store import remove_network, stored_network

    for name in names:
        stored_network(name)  # all of them are there, or none is deleted
    for name in names:
        write(f"Removed {remove_network(name)}\n", None)
