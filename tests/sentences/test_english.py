"""English: sentences as a person would split them, by spaCy and by the rules, and what each still gets wrong."""

from __future__ import annotations

import pytest

from chunking.document import Block, Document
from chunking.sentences import RULES, SPACY, split

CASES: dict[str, list[str]] = {
    "decimal": ["The rate rose to 3.75 percent.", "It had been 2.5 before."],
    "decimal without zero": ["A step of .05 is enough.", "Larger ones overshoot."],
    "money": ["They asked for $1.2 million.", "We offered $900.50 in cash."],
    "thousands": ["About 1,204.5 tonnes were shipped.", "None was lost."],
    "number last": ["The answer is 42.", "Nobody knows the question."],
    "year last": ["The bridge was built in 1932.", "It still stands."],
    "version": ["Upgrade to version 3.11.4 first.", "Then run the tests."],
    "version with v": ["Since v2.0 the flag is gone.", "Use the new one."],
    "version last": ["This needs Python 3.", "Older releases fail."],
    "file name": ["Open config.yaml and edit it.", "Save the file as settings.toml."],
    "hidden file": ["The rules are in .gitignore at the root.", "Add a line there."],
    "file name last": ["Everything is in main.py.", "Run it."],
    "module path": ["Call numpy.linalg.norm on it.", "The result is a scalar."],
    "url": ["See https://example.org/a.b?c=1.2 for more.", "The page is short."],
    "url last": ["The source is at https://example.org/docs.", "It is free."],
    "bare domain": ["Visit example.com today.", "It costs nothing."],
    "email": ["Write to jane.doe@example.co.uk with questions.", "She answers."],
    "ip": ["The server is at 10.0.0.1 in this net.", "Ping it."],
    "time": ["We met at 9 a.m. on Monday.", "The others came late."],
    "time last": ["The doors open at 7 p.m.", "The show begins an hour later."],
    "time with dot": ["The train leaves at 14.35 from platform 2.", "Be early."],
    "eg": ["Use a fruit, e.g. an apple.", "Wash it first."],
    "ie": ["Take the last one, i.e. the smallest.", "Put it back."],
    "etc inside": ["Bring pens, paper, etc. to the exam.", "Leave phones at home."],
    "etc last": ["We sell nuts, bolts, etc.", "The shop closes at six."],
    "vs": ["It was Smith vs. Jones again.", "Jones won."],
    "cf": ["This is disputed (cf. Lee 2004).", "We take no side."],
    "et al": ["Lee et al. showed this.", "Others agreed."],
    "et al year": ["It was shown by Lee et al. (2019) long ago.", "Nobody cared."],
    "fig": ["As Fig. 3 shows, it grows.", "The slope is steep."],
    "figs and eqs": ["Compare Figs. 2 and 3 with Eq. (4).", "They agree."],
    "section": ["See Sec. 4.2 for the proof.", "It is short."],
    "number sign": ["He lives at No. 7 on this street.", "The door is red."],
    "no last": ["She said no.", "He went away."],
    "page": ["The quote is on p. 12 of the book.", "Look it up."],
    "volume": ["It is in Vol. 2 of the works.", "I own both."],
    "doctor": ["I saw Dr. Adams today.", "He was kind."],
    "titles": ["Mr. and Mrs. Hill met Prof. Moore.", "They talked."],
    "saint": ["He lives on St. James Street.", "It is quiet."],
    "junior": ["Martin Brown Jr. spoke first.", "The hall was full."],
    "initials": ["J. K. Lowell wrote it.", "It sold well."],
    "middle initial": ["John F. Keller was there.", "So was I."],
    "initial last": ["Choose option B.", "Do not choose the other."],
    "us inside": ["The U.S. economy grew.", "Prices rose."],
    "us last": ["She moved to the U.S.", "Her brother stayed."],
    "us institution": ["The U.S. Senate met.", "It passed the bill."],
    "uk last": ["They export to the U.K.", "The rest stays here."],
    "phd": ["She has a Ph.D. in physics.", "He has none."],
    "company": ["Harbor Inc. sold its fleet.", "The price was low."],
    "company last": ["He works for Harbor Ltd.", "It pays badly."],
    "month": ["It began on Jan. 5 at noon.", "It ended in May."],
    "weekday": ["Come on Mon. or Tue. if you can.", "We open at ten."],
    "approx": ["It weighs approx. 3 kg.", "Lift it with care."],
    "question": ["Is it done?", "Yes.", "Good!"],
    "interrobang": ["You did what?!", "I never agreed to that."],
    "exclamations": ["Stop!!!", "There is a train."],
    "ellipsis inside": ["I was ... not sure.", "Then I knew."],
    "ellipsis last": ["He waited...", "Nobody came."],
    "ellipsis sign": ["Well… that went badly.", "Try again…", "No."],
    "quote american": ["“The gate is shut.”", "She turned round."],
    "quote british": ["He called it ‘a mess’.", "It was one."],
    "quote stop outside": ['They call it "the pit".', "It is deep."],
    "quote stop inside": ['They call it "the pit."', "It is deep."],
    "quote continued": ['"Are you there?" she asked.', "There was no answer."],
    "quote then verb": ['"Stop!" he shouted at them.', "They stopped."],
    "quote comma": ['"It is late," he said.', '"Let us go home."'],
    "brackets inside": ["He agreed (after a while) to come.", "She did not."],
    "bracket sentence": ["It failed.", "(Nobody was surprised.)", "We began again."],
    "bracket with stop": ["He came (it was late, too!) and left.", "We slept."],
    "bracket last": ["The rest is noise (see below).", "Ignore it."],
    "list numbers": ["1. Fill the pot.", "2. Boil the water.", "3. Wait."],
    "list brackets": ["(a) Read the text.", "(b) Mark the verbs."],
    "list half brackets": ["1) Read the text.", "2) Mark the verbs."],
    "list roman": ["i. Read the text.", "ii. Mark the verbs."],
    "colon": ["He wanted one thing: peace.", "He got it."],
    "semicolon": ["I came; I saw; I left.", "It rained."],
    "dash": ["He paused — then he spoke.", "Nobody listened."],
    "lower-case brand": ["I like iPhone cases.", "iPads are too large for me."],
    "name with mark": ["Yahoo! is an old company.", "It was sold."],
    "title with question": ["Have you read Who Goes There? by chance?", "It is good."],
    "dotnet": ["We use .NET and Node.js here.", "Both work."],
    "heading run in": ["Note.", "The valve must be shut."],
    "one word": ["Yes.", "No.", "Perhaps."],
    "abbreviation last": ["It belongs to the Smith Bros.", "They bought it in March."],
    "dept": ["Ask the Dept. of Works about it.", "They know."],
    "ordinal": ["He finished 2nd.", "She was 1st."],
    "math": ["Let x = 0.5 and y = 1.", "Then x + y = 1.5 holds."],
    "range": ["Read pp. 3-9 of the text.", "Skip the rest."],
    "temperature": ["It was -3.5 °C outside.", "We stayed in."],
    "footnote mark": ["This was denied.[3]", "Later it was admitted."],
    "code": ["Call `os.path.join()` first.", "`None` is returned."],
    "markdown bold": ["**Stop.**", "Read this first."],
    "headline": ["Storm Hits Coast"],
    "capital after stop in name": ["He joined Booz.", "The firm is old."],
    "army rank": ["Lt. Col. Reed led them.", "They marched."],
    "rev": ["The Rev. Amos Hart spoke.", "He was brief."],
    "acronym with dots": ["The N.A.T.O. meeting ended.", "No one smiled."],
    "mixed stop in quote": ['She asked, "Why?"', "He shrugged."],
    "nested quote": ["“He said ‘no.’”", "I believe him."],
    "said after": ["“No,” said Tom.", "“Never.”"],
    "acronym then sentence": ["The plan came from the E.U.", "The rest was ours."],
    "street": ["He lives on Main St.", "It is quiet there."],
    "chat in small letters": ["ok, i am here.", "where are you?", "i see you now."],
    "footnote marks": ["This was denied.[3][4]", "Later it was admitted."],
    "emphasis": ["It is *done.*", "Nobody complained."],
    "list of letters": ["a. Fill the pot.", "b. Boil the water."],
    "percent and dates": ["On 3.5.2021 it was 40.5%.", "On 4.5.2021 it was less."],
    "path": ["Look into /etc/ssh/sshd_config.d/a.conf first.", "Then restart it."],
}
"""Each a paragraph: its sentences, which are joined by a space and by a line end."""

WRONG = {SPACY: {"initial last", "ellipsis sign"}, RULES: set[str]()}
"""What is left. The parser believes in initials more than in imperatives, and takes an ellipsis for a pause."""


def sentences(text: str, splitter: str) -> list[str]:
    document = Document(text, (Block("paragraph", 0, len(text)),), language="en")
    return [" ".join(found.split()) for found in split(document, splitter).texts]


@pytest.mark.parametrize("splitter", (SPACY, RULES))
@pytest.mark.parametrize("name", CASES)
def test_english(name: str, splitter: str) -> None:
    expected = CASES[name]
    found = [sentences(joiner.join(expected), splitter) for joiner in (" ", "\n")]
    assert (found == [expected, expected]) == (name not in WRONG[splitter]), found


def test_the_table_is_a_table() -> None:
    assert len(CASES) > 100
    assert all(WRONG[splitter] <= CASES.keys() for splitter in WRONG)
