"""Links that contradict no given arc.

A link hides the words within it, and the inner side of its dependent: none of them may wait for a given arc that leads
out. Links and given arcs together close no cycle. So the given arcs that are left can be made, one after the other.
"""

from __future__ import annotations

from treevote.kernels import leaf
from treevote.models.parsers.decision_list.linkage import Linkage
from treevote.models.parsers.given_arcs import GivenArcs


@leaf
def is_given(given: GivenArcs, left: int, right: int) -> bool:
    """Tell whether the link between two words is a given arc."""
    return len(given.heads) > 0 and (given.heads[left] == right or given.heads[right] == left)


@leaf
def is_free(here: Linkage, given: GivenArcs, left: int, right: int, to_left: bool) -> bool:
    """Tell whether all given arcs can be made after a link between two potentially adjacent words."""
    if len(given.heads) == 0:
        return True
    head, dependent = (right, left) if to_left else (left, right)
    if given.heads[dependent] >= 0 and given.heads[dependent] != head:
        return False
    if given.rightmost[left] >= right if to_left else given.leftmost[right] <= left:
        return False
    for word in range(left + 1, right):
        leads_out = given.heads[word] >= 0 and not left <= given.heads[word] <= right
        if leads_out or given.leftmost[word] < left or given.rightmost[word] > right:
            return False
    above = head
    while above > 0 and above != dependent:
        above = here.heads[above] if here.heads[above] >= 0 else given.heads[above]
    return above != dependent
