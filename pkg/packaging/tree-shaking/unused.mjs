// biome-ignore lint/correctness/noUnusedImports: that it costs nothing is what is measured
import { createPolicy } from 'halfopen';

console.log('nothing of it');
