// Makes Node import TypeScript: `node --import ./test/typescript/register.mjs file.ts`.
import { register } from 'node:module';

register('./hooks.mjs', import.meta.url);
