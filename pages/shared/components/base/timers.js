// Actions that wait, by name.

export class Timers {
  /** @type {Map<string, ReturnType<typeof setTimeout>>} */ running = new Map();

  /**
   * Runs `action` after a pause; a newer one of the same name replaces it.
   *
   * @param {string} name
   * @param {number} delay in milliseconds; 0 runs it now
   * @param {() => void} action
   */
  set(name, delay, action) {
    this.cancel(name);
    if (delay === 0) return action();
    const run = () => {
      this.running.delete(name);
      action();
    };
    this.running.set(name, setTimeout(run, delay));
  }

  /** @param {string} name @returns {boolean} whether such an action was waiting */
  cancel(name) {
    clearTimeout(this.running.get(name));
    return this.running.delete(name);
  }

  clear() {
    for (const timer of this.running.values()) clearTimeout(timer);
    this.running.clear();
  }
}
