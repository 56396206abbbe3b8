// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text looks like templates
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maskSecrets } from './mask-secrets.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const made = (...parts: readonly string[]) => parts.join('')
const LETTERS = 'aB3dE5gH7jK9mN1pQ2sT4vW6xY8zA0cD'

test.each([
  [made('sk-ant-', 'api03-', LETTERS), '[secret]'],
  [made('export OPENAI=sk-proj-', LETTERS), 'export OPENAI=[secret]'],
  [made('token ghp_', LETTERS, 'abcd'), 'token [secret]'],
  [made('npm_', LETTERS, 'abcd'), '[secret]'],
  [made('AKIA', 'ABCDEFGHIJKLMNOP'), '[secret]'],
  [made('eyJhbGciOiJI', '.eyJzdWIiOiIx', '.abcdefghijk'), '[secret]'],
  ['git clone https://me:hunter22@example.com/x.git', 'git clone https://me:[secret]@example.com/x.git'],
  ['DB_PASSWORD=correct-horse', 'DB_PASSWORD=[secret]'],
  ['{"api_key": "abcdef123456", "n": 1}', '{"api_key": "[secret]", "n": 1}'],
  ['Authorization: Bearer abcdef.ghijkl', 'Authorization: Bearer [secret]'],
  [
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----',
    '-----BEGIN RSA PRIVATE KEY-----\n[secret]-----END RSA PRIVATE KEY-----',
  ],
])('%s', (text, expected) => {
  expect(maskSecrets(text)).toEqual({ text: expected, count: 1 })
})

test.each([
  'const password = readPassword()',
  'API_KEY=$API_KEY npm test',
  'password: <your password>',
  'token: string',
  'apiKey: process.env.KEY',
  'The password is asked for at the start.',
  'commit 2f1c0d8e4b7a6958473625140f9e8d7c6b5a4938',
  'see https://example.com:8080/path@1.2.3',
  'sk-short',
])('text without a secret stays: %s', (text) => {
  expect(maskSecrets(text)).toEqual({ text, count: 0 })
})

test('a second pass finds nothing more, and the time is linear in the text', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 400 }), (text) => {
      const once = maskSecrets(text)
      expect(maskSecrets(once.text).text).toBe(once.text)
    }),
  )
  expect(maskSecrets(`${'-----BEGIN PRIVATE KEY-----'.repeat(2000)}`).count).toBeGreaterThan(0)
  expect(maskSecrets('a:'.repeat(100_000)).count).toBe(0)
})
