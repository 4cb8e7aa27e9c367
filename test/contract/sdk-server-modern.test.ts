import { ourClient } from './clients/our-client.js';
import { hush } from './hush.js';
import { describeContract } from './suite.js';

hush('warn'); // each server warns about what its plain JSON responses leave out
describeContract(ourClient, 'sdk', 'modern');
