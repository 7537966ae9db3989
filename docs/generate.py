"""Write the generated pages into the documentation while ``mkdocs build`` runs."""

import mkdocs_gen_files

from tools.documentation import pages

for path, text in pages().items():
    with mkdocs_gen_files.open(path, "w") as file:
        file.write(text)
