"""Text of any length, of which only the head and the tail are kept."""

from collections import deque

CUT = "\n[… {cut} characters cut …]\n"


class BoundedText:
    """Collects pieces of text in bounded memory."""

    __slots__ = ("_head", "_head_left", "_tail", "_tail_length", "length", "tail_limit")

    def __init__(self, head_limit: int, tail_limit: int) -> None:
        self._head: list[str] = []
        self._head_left = head_limit
        self._tail: deque[str] = deque()
        self._tail_length = 0
        self.tail_limit = tail_limit
        self.length = 0

    def append(self, piece: str) -> None:
        """Add a piece; what lies between head and tail is forgotten."""
        self.length += len(piece)
        if self._head_left > 0:
            self._head.append(piece[: self._head_left])
            rest = piece[self._head_left :]
            self._head_left -= len(piece) - len(rest)
            piece = rest
        if piece:
            self._tail.append(piece[-self.tail_limit :])
            self._tail_length += len(self._tail[-1])
            while self._tail_length - len(self._tail[0]) >= self.tail_limit:
                self._tail_length -= len(self._tail.popleft())

    def __str__(self) -> str:
        head, tail = "".join(self._head), "".join(self._tail)[-self.tail_limit :]
        cut = self.length - len(head) - len(tail)
        return head + CUT.format(cut=cut) + tail if cut > 0 else head + tail


def cut_middle(text: str, head: int, tail: int) -> str:
    """Return a text with its middle left out when it is longer than head and tail together."""
    if len(text) <= head + tail:
        return text
    bounded = BoundedText(head, tail)
    bounded.append(text)
    return str(bounded)
