"""Networks of KataGo that can be downloaded by name, with their checksums.

Addresses are those of KataGo's own repository, releases and training site; the checksums
of the larger ones are those that Homebrew's formula of KataGo verifies. Others can be
downloaded by their address: see https://katagotraining.org/networks/.
"""

from __future__ import annotations

from dataclasses import dataclass

from yardstone.errors import InputError

__all__ = ["KNOWN", "KnownNetwork", "full_name", "known_network"]

_REPOSITORY = "https://raw.githubusercontent.com/lightvector/KataGo/v1.17.2/cpp/tests/models/"
_RELEASE = "https://github.com/lightvector/KataGo/releases/download/v1.4.5/"
_TRAINING = "https://media.katagotraining.org/uploaded/networks/models/kata1/"


@dataclass(frozen=True, slots=True)
class KnownNetwork:
    """A network that can be downloaded by name.

    Attributes
    ----------
    name : str
        Its full name.
    short : str
        A shorter name for it.
    url : str
        Where it is.
    sha256 : str
        Of the file.
    about : str
        In a few words.
    """

    name: str
    short: str
    url: str
    sha256: str
    about: str


KNOWN = (
    KnownNetwork(
        "g170-b6c96-s175395328-d26788732",
        "b6c96",
        _REPOSITORY + "g170-b6c96-s175395328-d26788732.bin.gz",
        "f5d32604e3675c480c7c8f6aa579a1ea857135628a0afccc8fa56330fbacd38d",
        "6 blocks, 4 MB: the fastest, also in the examples of this guide",
    ),
    KnownNetwork(
        "g170e-b20c256x2-s5303129600-d1228401921",
        "b20c256",
        _RELEASE + "g170e-b20c256x2-s5303129600-d1228401921.bin.gz",
        "7c8a84ed9ee737e9c7e741a08bf242d63db37b648e7f64942f3a8b1b5101e7c2",
        "20 blocks: the last of its size of the run of 2020",
    ),
    KnownNetwork(
        "g170-b30c320x2-s4824661760-d1229536699",
        "b30c320",
        _RELEASE + "g170-b30c320x2-s4824661760-d1229536699.bin.gz",
        "1e601446c870228932d44c8ad25fd527cb7dbf0cf13c3536f5c37cff1993fee6",
        "30 blocks: the last of its size of the run of 2020",
    ),
    KnownNetwork(
        "g170-b40c256x2-s5095420928-d1229425124",
        "b40c256",
        _RELEASE + "g170-b40c256x2-s5095420928-d1229425124.bin.gz",
        "2b3a78981d2b6b5fae1cf8972e01bf3e48d2b291bc5e52ef41c9b65c53d59a71",
        "40 blocks: the strongest of the run of 2020",
    ),
    KnownNetwork(
        "kata1-b18c384nbt-s9996604416-d4316597426",
        "b18c384nbt",
        _TRAINING + "kata1-b18c384nbt-s9996604416-d4316597426.bin.gz",
        "9d7a6afed8ff5b74894727e156f04f0cd36060a24824892008fbb6e0cba51f1d",
        "18 nested blocks: KataGo's own advice for most machines",
    ),
)


def known_network(name: str) -> KnownNetwork:
    """The network of this full or short name.

    Raises
    ------
    InputError
        There is none.
    """
    for network in KNOWN:
        if name in (network.name, network.short):
            return network
    raise InputError(
        f"no network is known as {name!r}",
        hint=f"one of {', '.join(each.short for each in KNOWN)}, or an address (https://...)",
    )


def full_name(name: str) -> str:
    """The full name of a network that is known by this short name; else the name itself."""
    return next((each.name for each in KNOWN if each.short == name), name)
