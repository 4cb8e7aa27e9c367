/** As in package.json, which a test checks; a constant, so that no file has to be read at start. */
export const VERSION = '0.1.0';
