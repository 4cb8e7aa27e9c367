// The one part of undici that is used: its main module loads everything else as well, in 70 ms.
declare module 'undici/lib/dispatcher/pool.js' {
  import type { Pool } from 'undici';

  const pool: typeof Pool;
  export default pool;
}
