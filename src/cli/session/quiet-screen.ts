import type { Screen, Zone } from '../terminal/screen.js';

/** A screen on which nothing moves at the foot while somebody is asked: what stands there comes back afterwards. */
export interface QuietScreen {
  readonly screen: Screen;
  /** Takes what is at the foot away, or shows it again. */
  hush(isQuiet: boolean): void;
}

export function quietScreen(screen: Screen): QuietScreen {
  const shown = new Map<Zone, readonly string[] | undefined>();
  let isQuiet = false;
  return {
    screen: {
      get columns() {
        return screen.columns;
      },
      get rows() {
        return screen.rows;
      },
      style: screen.style,
      isPlain: screen.isPlain,
      print: (text) => screen.print(text),
      show(zone, rows) {
        shown.set(zone, rows);
        if (!isQuiet) screen.show(zone, rows);
      },
      animate: (draw) => screen.animate(draw),
      ask: (question, options) => screen.ask(question, options),
      choose: (rows, options) => screen.choose(rows, options),
      prompt: (options) => screen.prompt(options),
      onInterrupt: (listener) => screen.onInterrupt(listener),
      openFull: (view) => screen.openFull(view),
      [Symbol.asyncDispose]: () => screen[Symbol.asyncDispose](),
    },
    hush(wanted) {
      if (wanted === isQuiet) return;
      isQuiet = wanted;
      for (const [zone, rows] of shown) screen.show(zone, isQuiet ? undefined : rows);
    },
  };
}
