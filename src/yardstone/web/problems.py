"""What a visitor did that cannot be done, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any

from yardstone.errors import InputError, UsageError, YardstoneError


@dataclass(eq=False, repr=False)
class RequestProblem(YardstoneError):
    """A request that is refused.

    Args:
        status: Status of HTTP.
        code: A word for programs, such as ``too_large``.
        message, hint: What is wrong, and what the visitor can do.
        file, line: Where it stands: the file as the visitor called it, and its line from 1.
        retry_after: Seconds until another try makes sense.
    """

    status: int
    code: str
    message: str
    hint: str = ""
    _: KW_ONLY
    file: str | None = None
    line: int | None = None
    retry_after: int | None = None

    def __post_init__(self) -> None:
        super().__init__(self.message)

    def as_dict(self) -> dict[str, Any]:
        """The problem as JSON has it."""
        return {
            "code": self.code,
            "message": self.message,
            "hint": self.hint or None,
            "file": self.file,
            "line": self.line,
        }


class DatabaseAway(YardstoneError):
    """The database does not answer at the moment."""

    def __init__(self) -> None:
        super().__init__("the database does not answer at the moment")


def described(error: YardstoneError) -> dict[str, Any]:
    """An error of the library as JSON has it, with a file as the visitor called it."""
    if isinstance(error, RequestProblem):
        return error.as_dict()
    names = ("message", "hint", "file", "line")
    if isinstance(error, InputError):
        return {"code": "input", **{name: getattr(error, name) for name in names}}
    code = "usage" if isinstance(error, UsageError) else "model"
    return {"code": code, **dict.fromkeys(names), "message": str(error)}


#: What is refused in words of its own, a line each: its code (and after a stroke which of that
#: code), its status (and seconds until another try makes sense), what is wrong | what to do.
_TABLE = """
bad_form 400: The form cannot be read. | Send it as multipart/form-data, files under the name
  'files'.
bad_form/type 415: The files must come as a form. | Send multipart/form-data, files under the name
  'files'.
bad_form/long 413: The form has too many or too long fields.
bad_form/text 422: A field of the form is not UTF-8.
bad_form/name 422: Files must stand under the name 'files'.
bad_form/player 422: No player was chosen. | Choose one of the names.
bad_option 422: Idempotency-Key has more than {most} characters. | Shorten it.
broken_off 400: The request broke off. | Send it again.
too_slow 408: The files came too slowly. | Send fewer of them.
empty 422: This file is empty. | Choose another one.
files_and_name 422: Files and a user's name were sent. | Send one of them.
no_files 422: No file was sent. | Choose one or more files.
no_games 422: {reason}. | Check the name, or send files.
no_importer 422: This server fetches no games from elsewhere. | Send the files of the games.
nothing_usable 422: No file can be used. | {hint}
several_kinds 422: These files are of different kinds: {listed}. | Send each kind by itself, or
  say which one is wanted.
too_large 413: More than {most} MiB in one request. | Send fewer files, or pack them as zip.
too_large/file 413: This file has more than {most} MiB. | Send a smaller one, or pack it as zip.
too_large/unpacked 413: The files unpack to more than {most} MiB. | Send fewer of them.
too_many_files 413: More than {most} files in one request. | Pack them as zip, or send fewer.
unknown_format 415: This is {what}. | Send {files}, or a zip archive of them.
wrong_kind 422: None of these files holds {holds}. | Send them without naming a kind.
changed 409: Its status has changed. | Look at it again.
expired 410: This result has expired and was deleted. | Send the files again for a new one.
files_gone 409: Its files were deleted. | Send the files again.
files_gone/lost 500: The files of this job are not there. | Send them again.
gave_up 500: This job ended its worker {times} times and was given up. | Send fewer or other files.
not_chosen 410: No player was chosen in time. | Send the files again.
too_heavy 413: This job took too much memory. | Send fewer games at a time.
too_long 413: This job took longer than {seconds} seconds. | Send fewer games at a time.
no_owner 403: This job was made before jobs had owners; nobody can delete it. | It is deleted when
  it expires.
no_result 409: There is no result: its status is {status}. | Wait until it is done.
other_format 409: This result was stored by another version of Yardstone, and this one cannot
  read it. | Send the files again, with the same settings.
not_asked 409: No player is asked for. | Look at its status.
not_failed 409: Only a failed job can be tried again.
not_found 404: There is nothing at this address. | Check it, or send the files again.
not_owner 403: Only who sent the files can do that. | Programs send the owner's key:
  Authorization: Bearer KEY. People use the owner's link, or the browser that sent the files.
not_owner/link 403: This is not the owner's link of this result. | Check the address.
unknown_player 422: This is not one of the names. | Choose one of them.
disk 503+60: There is no room for more files. | Try again later.
imports_hour 429: Games can be fetched {most} times an hour. | Wait, or send the files.
queue 503+60: Too many jobs are waiting. | Try again later.
queue_client 429+30: You have {own} jobs waiting; at most {most} may wait. | Wait until they are
  done.
streams 429+10: Too many streams of events are open. | Ask for the job itself now and then.
busy 503+2: Too much is asked at the moment. | Try again soon.
busy/client 429+2: {most} of your requests are being answered already. | Wait until they are done.
too_many_requests 429: More than {most} such requests in a minute. | Wait a little.
uploads 503+5: Too many people are sending files at the moment. | Try again soon.
uploads_client 429+5: You send {most} requests at once already. | Wait until they have arrived.
no_workers 503: No worker lives. | Look at the log of the workers; they start again by themselves.
no_database 503: The database does not answer. | Look at it, and at the line to it.
no_disk 503: The disk is almost full, or cannot be written. | Make room there.
no_file 503: The file of the tournament does not answer. | Look at its disk.
no_file/read 503: The file of the tournament cannot be read: {trouble}. | Look at it.
internal 500: Something went wrong here. | Try again later.
internal/job 500: Something went wrong on this server, not with your files. | Try again. If it
  happens again, tell the operator of this server.
damaged 422: {message}. | Pack it again.
encrypted 422: {message}. | Pack it again.
bad_archive 422: {message}. | Pack fewer files, or send them without an archive.
nested_archive 422: This archive holds only archives. | Unpack the inner ones first.
nothing_usable/archive 422: There are no records of games in this archive. | Pack {files}.
too_many_games 413: {message} | {hint}
too_many_players 413: {message} | {hint}
unknown_player/games 422: No game is by {player}. | {hint}
no_gnubg 503: This server lacks GNU Backgammon. | Tell its operator.
no_network 503: This server lacks the network for games of Go. | Tell its operator.
storage 503+30: The server cannot store anything at the moment. | Try again later.
storage/away 503+5: The server cannot reach its data at the moment. | Try again soon.
not_signed_in 403: Only helpers can do that. | Sign in with the password of the helpers.
not_full 403: Your link is for entering results alone. | Ask whoever made it.
link_gone 410: This link was used, was withdrawn, or has expired. | Ask for a new one.
too_many_guesses 429: Too many wrong passwords were sent from your network. | Wait a little, or ask
  for a link of your own; who is signed in can go on.
wrong_password 403: That is not the password. | It was printed where the desk was started; ask
  whoever started it.
old_page 403: The page was older than the desk: nothing was changed. | Load the page again, and do
  it once more.
streams/pages 429+10: Too many pages are watching. | Load the page again.
bad_form/number 422: {field}: {text!r} is not a number.
bad_form/desk 422: The form is not known. | Load the page again.
bad_number 422: {field}: {text!r} is not understood.
bad_number/rating 422: The rating cannot be empty. | Write a number.
bad_wish 422: These are the same player.
bad_line 422: {line!r} is not a result. | Write a table and a result: 12 1-0, or 12 b if Black has
  won there, 12 w for White.
changed_meanwhile 409: {what}: it was {was} when you began, is {now} by now, and you sent {sent}. |
  Nothing was changed. Look at it as it is now, and change it again.
gone/session 409: This session has ended already.
gone 409: Nobody is called {player!r} any more. | Somebody has changed the name.
later_round 409: Round {last} is paired already. | Only the last round can be taken back.
other_boards 409: {first} and {second} do not meet in round {number} any more: it was paired again.
  | Nothing was changed. Look at the boards as they are now.
"""


def _refusals() -> Iterator[tuple[str, tuple[int, str, str, int | None]]]:
    """Read the table: by its name, of each its status, message, hint and seconds."""
    for line in _TABLE.strip().replace("\n  ", " ").splitlines():
        head, _, words = line.partition(": ")
        name, status = head.split()
        message, _, hint = words.partition(" | ")
        number, _, seconds = status.partition("+")
        yield name, (int(number), message, hint, int(seconds) if seconds else None)


_REFUSALS = dict(_refusals())


def refusal(
    name: str, *, file: str | None = None, retry_after: int | None = None, **values: Any
) -> RequestProblem:
    """A refusal of those above, with what its words leave open."""
    status, message, hint, seconds = _REFUSALS[name]
    return RequestProblem(
        status,
        name.partition("/")[0],
        message.format(**values),
        hint.format(**values),
        file=file,
        retry_after=retry_after or seconds,
    )
