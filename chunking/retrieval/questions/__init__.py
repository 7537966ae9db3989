"""Questions with their true answers: what they are, how folders and files of them are read, and a user's own."""

from chunking.retrieval.questions.data import Answer, CorpusDocument, Question, QuestionSet, QuestionSetRemark

__all__ = ["Answer", "CorpusDocument", "Question", "QuestionSet", "QuestionSetRemark"]
