import { testTable } from './table.js';

testTable('stdio');
