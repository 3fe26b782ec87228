// Synchronous from the first line to the last: nothing of the package needs an await to be loaded.
const halfopen = require('halfopen');
const testing = require('halfopen/testing');

const { consume, expectNames } = require('./consumer.cjs');
for (const module of [halfopen, testing]) expectNames(module);
consume({ halfopen, testing }).then(console.log, (error) => {
  console.error(error);
  process.exitCode = 1;
});
