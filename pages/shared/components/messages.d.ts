// Made from the Python types of the components by messages.py; do not edit.

export interface AnswerMarkerBody {
  spans: Int32Array;
  others: Int32Array;
  height: string;
}

export interface AnswerMarkerHead {
  document: string;
  revision: number;
  content: string;
}

export interface Bar {
  share: number;
  role: string;
}

export interface BrowserStoreHead {
  document: string;
  known: boolean;
  items: Record<string, string>;
  content: string;
}

export interface ByHand {
  document: string;
  number: number;
  edits: ([number, string])[];
}

export interface Candidate {
  offset: number;
  why: string;
  driver: string;
}

export interface ChangedPassage {
  document: string;
  start: number;
  end: number;
  words: string;
}

export interface CurveFigureHead {
  document: string;
  source: string;
  lane: string;
  setting: any;
  controls: Record<string, string>;
  text: boolean;
  words: CurveFigureWords;
  content: string;
}

export interface CurveFigureWords {
  decimal: string;
  meaning: string;
  layout: string;
  both: string;
  threshold: string;
  people: string;
  chunks: string;
  text: string;
}

export interface DocumentListBody {
  rows: (Uint8Array)[];
  limit: number | null;
  height: string;
}

export interface DocumentListHead {
  list: string;
  chosen: string | null;
  content: string;
}

export interface GapPickerBody {
  pieces: (string)[];
  breaks: Uint8Array;
  offsets: Int32Array;
  picked: Int32Array;
  engine: Int32Array;
  gold: Int32Array;
  votes: Int32Array;
  words: GapWords;
}

export interface GapPickerHead {
  document: string;
  revision: number;
  open: boolean;
  chapter: boolean;
  content: string;
}

export interface GapWords {
  text: string;
  gap: string;
  own: string;
  engine: string;
  gold: string;
  send: string;
  count: string;
  chunks: string;
}

export interface GlossaryBody {
  terms: Record<string, string>;
}

export interface GlossaryHead {
  content: string;
}

export interface MarkedAnswers {
  document: string;
  revision: number;
  spans: ([number, number])[];
}

export interface Moved {
  label: string;
  setting: any;
  names: (string)[];
}

export interface PickReport {
  document: string;
  revision: number;
  gaps: (number)[];
  final: boolean;
}

export interface Rest {
  number: number;
  document: string;
  source: string;
  changes: (Moved)[];
  lane: number;
  gap: number | null;
  columns: (number)[];
  view: [number, number] | null;
  pages: (number)[] | null;
  is_opened: boolean;
}

export interface ReviewDeskBody {
  proposal_id: string;
  blind: boolean;
  candidates: (Candidate)[];
  places: Int32Array;
  events: ([string, string, number, number | null, string, string])[];
  disputes: (ReviewDispute)[];
  next: string;
  mono: boolean;
  height: string;
  glyphs: Record<string, string>;
  note_limit: number;
}

export interface ReviewDeskHead {
  document: string;
  text: string;
  reviewer: string;
  name_limit: number;
  desk: string;
  stored: (string)[];
  refused: ([string, string])[];
  problem: (string)[] | null;
  at: number | null;
  address_key: string;
  content: string;
}

export interface ReviewDispute {
  offset: number;
  votes: (ReviewVote)[];
  choices: ([string, "accept" | "reject" | "skip" | "add" | "move" | "note" | "complete" | "undo", number])[];
  decided: string;
  judged: boolean;
}

export interface ReviewVote {
  reviewer: string;
  says: string;
  note: string;
}

export interface Row {
  key: string;
  title: string;
  about: string;
  state: string;
  problem: string;
  sentences: number;
  chunks: number;
  boundaries: number;
  tokens: [number, number, number];
  score: Float32Array;
  threshold: number | null;
  cuts: Int32Array;
  gold: Int32Array;
  sizes: Int32Array;
  f1: number | null;
}

export interface SteppedTable {
  caption: string;
  lead: string;
  head: (string)[];
  rows: ((string | Bar)[])[];
}

export interface SteppedTableBody {
  values: (number)[];
  tables: (SteppedTable)[];
}

export interface SteppedTableHead {
  control: string;
  value: number;
  content: string;
}

export interface StoredItems {
  document: string;
  items: Record<string, string>;
}

export interface Tuned {
  document: string;
  setting: any;
  gap: number | null;
  judge: "people" | "size";
  target: number;
  is_opened: boolean;
}

export interface TunerChoice {
  best: (number)[];
  honest: (number | null)[];
  region: (string)[];
  shares: (number)[];
  better: number;
  difference: (number | null)[];
  cuts: number;
}

export interface TunerHead {
  document: string;
  source: string;
  lane: string;
  setting: any;
  selected: number | null;
  judge: string;
  target: number;
  choice: string | null;
  revision: number;
  content: string;
}

export interface WorkbenchDataBody {
  deflated?: Uint8Array;
  picture?: Uint8Array;
}

export interface WorkbenchDataHead {
  source: string;
  content: string;
}

export interface WorkbenchHead {
  document: string;
  source: string;
  lanes: (WorkbenchLane)[];
  comparison: boolean;
  lane: number;
  selected: number | null;
  columns: (number)[];
  view: (number)[] | null;
  pinned: any;
  facts: ([string, string])[];
  pages: WorkbenchPages | null;
  revision: number;
  received: number;
  remote: boolean;
  editable: boolean;
  by_hand: ([number, string])[] | null;
  by_hand_received: number;
  cut_before: (number)[] | null;
  decided_before: ([number, string])[];
  content: string;
}

export interface WorkbenchLane {
  source: string;
  label: string;
  title: string;
  setting: any;
}

export interface WorkbenchPages {
  source: string;
  shown: number | null;
  pictures: (number)[];
}
