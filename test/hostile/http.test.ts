import { testTable } from './table.js';

testTable('http');
