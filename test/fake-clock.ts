export { FakeClock, turn } from '../src/testing/fake-clock.js';
