import { truncate } from 'halfopen';

console.log(truncate('a long text', 4));
