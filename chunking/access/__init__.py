"""Who uses a server, and what they may do: identities, roles, and the rules that give them.

On one's own machine there is one identity, :data:`LOCAL`, which may do everything. On a server with log-in an identity
is made of the claims of a token that an OpenID Connect provider has signed, see :class:`Rules`.
"""

from chunking.access.identity import LOCAL, ROLES, STRANGER, Identity, Role
from chunking.access.rules import Rules

__all__ = ["LOCAL", "ROLES", "STRANGER", "Identity", "Role", "Rules"]
