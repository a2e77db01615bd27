"""`yardstone go nets`: the networks of KataGo that are kept, and getting one."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from yardstone.cli.output import TableOutput

__all__ = []

Name = Annotated[
    str | None, typer.Option(metavar="NAME", help="Name to give it; by default the file's.")
]
Replace = Annotated[bool, typer.Option("--replace", help="Replace another network of that name.")]


def list_(
    output: TableOutput,
    known: Annotated[
        bool, typer.Option("--known", help="List the networks that `download` knows by name.")
    ] = False,
) -> None:
    """List the installed networks.

    Examples
    --------
    yardstone go nets list
    yardstone go nets list --known
    yardstone go nets list --format json
    """
    from yardstone.go.nets.store import list_networks, networks_folder
    from yardstone.reports.go import networks

    output.check()
    if known:
        output.emit(networks.known_networks_document())
    else:
        output.emit(networks.networks_document(list_networks(), networks_folder()))


def add(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="KataGo network file.")],
    name: Name = None,
    replace: Replace = False,
) -> None:
    """Install a network from a file.

    Examples
    --------
    yardstone go nets add kata1-b18c384nbt-s9996604416-d4316597426.bin.gz --name b18
    """
    from yardstone.go.nets.store import add_network

    added = add_network(file, name=name, replace=replace)
    print(f"Added {added.name}: {added.path}")


def download(
    network: Annotated[
        str,
        typer.Argument(
            metavar="NETWORK", help="A name from `go nets list --known`, or an address."
        ),
    ],
    name: Name = None,
    sha256: Annotated[
        str | None,
        typer.Option("--sha256", metavar="SUM", help="The SHA-256 of the file at an address."),
    ] = None,
    replace: Replace = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
) -> None:
    """Download a network and verify it.

    An interrupted download is continued by the next call.

    Examples
    --------
    yardstone go nets download b6c96
    yardstone go nets download https://host/net.bin.gz --sha256 3f2a...
    """
    from yardstone.cli.progress import progress_bar
    from yardstone.go.nets.store import download_network

    progress = progress_bar("Downloading", quiet=quiet)
    kept = download_network(network, sha256=sha256, name=name, replace=replace, progress=progress)
    print(f"Downloaded {kept.name}: {kept.path}\nSHA-256 {kept.sha256}")


def show(
    output: TableOutput,
    network: Annotated[
        str | None,
        typer.Argument(metavar="NETWORK", help="A file, or the name of an installed network."),
    ] = None,
) -> None:
    """Describe a network.

    Without NETWORK it is the one that other commands would take.

    Examples
    --------
    yardstone go nets show b6c96
    yardstone go nets show b6c96 --format json
    """
    from yardstone.go.nets.store import describe_file
    from yardstone.reports.go.networks import network_document

    output.check()
    output.emit(network_document(describe_file(network)))


def remove(
    names: Annotated[
        list[str], typer.Argument(metavar="NAME...", help="Names of installed networks.")
    ],
) -> None:
    """Remove installed networks.

    Examples
    --------
    yardstone go nets remove b18
    """
    from yardstone.go.nets.store import remove_network, stored_network

    for name in names:
        stored_network(name)  # all of them are there, or none is deleted
    for name in names:
        print(f"Removed {remove_network(name)}")
