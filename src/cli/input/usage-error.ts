export { usageError } from '../../actions/usage-error.js';
