import { expect, test } from 'vitest'
import { connectionFailure } from './model-failures.ts'

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
