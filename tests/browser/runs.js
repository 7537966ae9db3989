// What a page has asked Streamlit to run, as noted from what goes over its socket. Streamlit itself says "notRunning" also
// while a run that was asked for has not begun. `chunkscopeRuns` holds how many runs were asked for, what kind the last of
// them is while it is still to begin, and whether one is on. A fragment that runs by the clock is not counted: nobody
// asked for it, and where it is gone it is never answered. Neither is the report of a part of a page that was left, which
// the app discards (pages/shared/server/part_reports.py): `page` is the page that is shown or asked for, by its hash.
(fields => {
  const runs = globalThis.chunkscopeRuns = { asked: 0, waiting: null, running: false, page: "", keys: [], told: [] };
  // What went over the socket and when, for the report of a test that fails.
  const note = (...words) => runs.told.push(`${Math.round(performance.now())} ms: ${words.filter(Boolean).join(" ")}`);
  // What was pressed and where, for the report of a test that fails: a key may be lost on its way or in the page.
  addEventListener("keydown", event => {
    const { localName, className } = event.composedPath()[0];
    runs.keys.push(`${event.key}${event.repeat ? " again" : ""} on ${localName}.${className}`);
  }, true);
  const varint = (bytes, start) => {
    let value = 0, at = start;
    do { value += (bytes[at] & 127) * 2 ** (7 * (at - start)); } while (bytes[at++] & 128);
    return [value, at];
  };
  // The first value of a field of a Protobuf message, or null: a number, or bytes.
  const field = (bytes, wanted) => {
    for (let at = 0; at < bytes.length;) {
      let tag, value;
      [tag, at] = varint(bytes, at);
      const kind = tag & 7;
      if (kind === 0) [value, at] = varint(bytes, at);
      else {
        const [length, start] = kind === 2 ? varint(bytes, at) : [kind === 1 ? 8 : 4, at];
        [value, at] = [bytes.subarray(start, start + length), start + length];
      }
      if (tag >> 3 === wanted) return value;
    }
    return null;
  };
  const text = bytes => bytes === null ? "" : new TextDecoder().decode(bytes);
  const sent = bytes => {
    const rerun = field(bytes, fields.rerun_script);
    if (rerun === null || field(rerun, fields.is_auto_rerun)) return;
    const isOfPart = field(rerun, fields.fragment_id) !== null, page = text(field(rerun, fields.page_script_hash));
    runs.asked += 1;
    note("asked for", isOfPart && `part ${text(field(rerun, fields.fragment_id))} of`, `page ${page}`);
    if (isOfPart && page && runs.page && page !== runs.page) return;
    runs.waiting = isOfPart ? "fragment" : "page";
    if (!isOfPart && page) runs.page = page;
  };
  const received = bytes => {
    const session = field(bytes, fields.new_session);
    if (session !== null) {
      const run = field(field(bytes, fields.metadata) ?? new Uint8Array(), fields.run) ?? new Uint8Array();
      runs.running = true;
      note("begun:", text(field(run, fields.fragment_ids)) || "the whole", "of page", text(field(session, fields.shown_page)));
      if (field(run, fields.fragment_ids) === null) runs.page = text(field(session, fields.shown_page)) || runs.page;
      if (runs.waiting === "fragment" || field(run, fields.fragment_ids) === null) runs.waiting = null;
    }
    const finished = field(bytes, fields.script_finished);
    if (finished !== null) note("ended with status", String(finished));
    if (finished !== null && finished !== fields.early) runs.running = false;
  };
  globalThis.WebSocket = class extends WebSocket {
    constructor(...settings) {
      super(...settings);
      Object.assign(runs, { waiting: null, running: false });
      note("a new connection");
      this.addEventListener("message", event => {
        if (event.data instanceof ArrayBuffer) received(new Uint8Array(event.data));
      });
    }
    send(data) {
      if (data instanceof Uint8Array) sent(data);
      super.send(data);
    }
  };
})
