// limiter: RangeErrors and plain errors for what can never be allowed; a refusal is a number, and no error.
import { final, library } from '../expect.mjs';

const lib = library({ packages: ['limiter'] });
const use = (work) => async () => work(await import('limiter'));
const wrong = final('VALIDATION_ERROR', 'CONFIG_ERROR');
lib.add(
  'too-many',
  wrong,
  'Requested tokens exceed what an interval has',
  use(({ RateLimiter }) => new RateLimiter({ tokensPerInterval: 5, interval: 'second' }).removeTokens(10)),
);
lib.add(
  'too-many-bucket',
  wrong,
  'Requested tokens exceed the bucket',
  use(({ TokenBucket }) =>
    new TokenBucket({ bucketSize: 5, tokensPerInterval: 1, interval: 1000 }).removeTokens(10),
  ),
);
lib.add(
  'bad-interval',
  wrong,
  'Invalid interval',
  use(({ TokenBucket }) => new TokenBucket({ bucketSize: 5, tokensPerInterval: 1, interval: 'fortnight' })),
);
lib.add(
  'no-interval',
  final('VALIDATION_ERROR', 'CONFIG_ERROR'),
  'interval must be positive',
  use(({ TokenBucket }) => new TokenBucket({ bucketSize: 5, tokensPerInterval: 1, interval: 0 })),
);
lib.add(
  'bad-size',
  wrong,
  'bucketSize must be non-negative',
  use(({ TokenBucket }) => new TokenBucket({ bucketSize: -1, tokensPerInterval: 1, interval: 1000 })),
);
lib.add(
  'negative',
  wrong,
  'a negative count',
  use(({ TokenBucket }) =>
    new TokenBucket({ bucketSize: 5, tokensPerInterval: 1, interval: 1000 }).removeTokens(-1),
  ),
);
lib.add(
  'no-options',
  final('UNKNOWN', 'VALIDATION_ERROR', 'CONFIG_ERROR'),
  'no options: the engine says it',
  use(({ RateLimiter }) => new RateLimiter()),
);
export default lib;
