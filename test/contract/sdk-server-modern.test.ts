import { vi } from 'vitest';
import { ourClient } from './clients/our-client.js';
import { describeContract } from './suite.js';

vi.spyOn(console, 'warn').mockImplementation(() => {}); // what answers in plain JSON leave out, for each server anew
describeContract(ourClient, 'sdk', 'modern');
