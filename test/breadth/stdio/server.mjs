// Starts a server with this habit: node server.mjs HABIT JOURNAL
import { eras } from './eras.mjs';
import { lines } from './lines.mjs';
import { serve } from './raw-server.mjs';
import { refusals } from './refusals.mjs';
import { shapes } from './shapes.mjs';
import { timing } from './timing.mjs';

const [name, journal] = process.argv.slice(2);
await serve({ ...refusals, ...shapes, ...lines, ...timing, ...eras }[name], journal);
