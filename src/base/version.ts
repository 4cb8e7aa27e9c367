/** As package.json has it; a test keeps the two alike, and no file has to be read for it at start. */
export const VERSION = '0.1.0';
