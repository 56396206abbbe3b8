import { expect, test } from 'vitest'
import { connectionFailure, failureOfAnswer } from './model-failures.ts'

/** An error as thrown by `fetch`: `cause` has the reason. */
const fetchError = (code: string, message: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(message), { code }) })

test('a name that does not resolve asks whether the user is online', () => {
  for (const code of ['ENOTFOUND', 'EAI_AGAIN'])
    expect(connectionFailure('https://api.test', fetchError(code, `getaddrinfo ${code}`))).toMatchObject({
      type: 'connection',
      message: 'Server not found: https://api.test. Are you online?',
    })
})

test('a broken connection gives the innermost reason', () => {
  const failure = connectionFailure('https://api.test', fetchError('UND_ERR_SOCKET', 'other side closed'))
  expect(failure.message).toBe('Lost connection to the API: https://api.test: other side closed.')
})

test.each([
  ['the end of all limits', { 'anthropic-ratelimit-unified-reset': '7200' }, 7_200_000 - 1000],
  [
    'the limit that is used up, not the others',
    {
      'anthropic-ratelimit-requests-remaining': '12',
      'anthropic-ratelimit-requests-reset': '1970-01-01T09:00:00Z',
      'anthropic-ratelimit-tokens-remaining': '0',
      'anthropic-ratelimit-tokens-reset': '1970-01-01T02:00:00Z',
    },
    7_200_000 - 1000,
  ],
  ['retry-after first', { 'retry-after': '30', 'anthropic-ratelimit-unified-reset': '7200' }, 30_000],
  ['an end in the past', { 'anthropic-ratelimit-unified-reset': '0' }, 0],
  ['no end', { 'anthropic-ratelimit-unified-reset': 'soon' }, null],
] as const)('a 429 without retry-after waits for the reset of its headers: %s', (_, headers, expected) => {
  const known = new Map<string, string>(Object.entries(headers))
  const answer = { status: 429, errorType: 'rate_limit_error', text: 'Limit reached', now: 1000 }
  const failure = failureOfAnswer({ ...answer, header: (name) => known.get(name) ?? null })
  expect(failure).toMatchObject({ type: 'rate-limited', retryAfterMs: expected })
  // Another failure has nothing to wait for.
  const other = failureOfAnswer({ ...answer, status: 500, header: (name) => known.get(name) ?? null })
  expect(other.retryAfterMs).toBe('retry-after' in headers ? 30_000 : null)
})
