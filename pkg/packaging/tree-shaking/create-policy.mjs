import { createPolicy } from 'halfopen';

console.log(createPolicy({ name: 'shaken' }));
