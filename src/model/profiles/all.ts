import { anthropic } from './anthropic.js';
import { geminiProfile } from './gemini.js';
import { openai } from './openai.js';
import type { ModelProfile } from './profile.js';

export const profiles: readonly ModelProfile[] = [anthropic, openai, geminiProfile];
