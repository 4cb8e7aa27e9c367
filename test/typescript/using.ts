// What `using` and `await using` are compiled to where Node does not know them.

/** The resources of one block: `u` and `a` add one, `d` disposes of them in reverse order; `e` is what the block threw. */
export interface UsedBlock {
  e: unknown;
  u<Value>(value: Value): Value;
  a<Value>(value: Value): Value;
  d(): Promise<void> | undefined;
}

interface Used {
  readonly isAwaited: boolean;
  readonly dispose?: () => unknown;
}

const NOTHING = Symbol('nothing was thrown');

export function openBlock(): UsedBlock {
  const used: Used[] = [];
  const add = <Value>(value: Value, isAwaited: boolean): Value => {
    if (value !== null && value !== undefined) used.push({ isAwaited, dispose: disposerOf(value, isAwaited) });
    else if (isAwaited) used.push({ isAwaited });
    return value;
  };
  return {
    e: NOTHING,
    u: (value) => add(value, false),
    a: (value) => add(value, true),
    d() {
      return disposeOf(used, this.e);
    },
  };
}

function disposerOf(value: object, isAwaited: boolean): () => unknown {
  const disposable = value as Partial<Disposable & AsyncDisposable>;
  const later = isAwaited ? disposable[Symbol.asyncDispose] : undefined;
  if (typeof later === 'function') return () => later.call(value);
  const now = disposable[Symbol.dispose];
  if (typeof now !== 'function') throw new TypeError('What is used cannot be disposed of');
  return () => {
    now.call(value);
  };
}

/** A promise if one of them is awaited. Throws what the block threw, or what disposing threw. */
function disposeOf(used: Used[], thrown: unknown): Promise<void> | undefined {
  let error = thrown;
  const fail = (reason: unknown): void => {
    error = error === NOTHING ? reason : suppressing(reason, error);
  };
  const goOn = (): Promise<void> | undefined => {
    for (let one = used.pop(); one !== undefined; one = used.pop()) {
      let given: unknown;
      try {
        given = one.dispose?.();
      } catch (reason) {
        fail(reason);
      }
      if (one.isAwaited) return Promise.resolve(given).catch(fail).then(goOn);
    }
    if (error !== NOTHING) throw error;
    return undefined;
  };
  return goOn();
}

function suppressing(error: unknown, suppressed: unknown): Error {
  return Object.assign(new Error('Disposing failed as well'), { name: 'SuppressedError', error, suppressed });
}
