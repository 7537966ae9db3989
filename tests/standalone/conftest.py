"""Node.js, which runs the script of the page for the tests."""

from tests.pages.conftest import ask as ask
from tests.pages.conftest import node as node
