import { expect, test } from 'vitest'
import { createCleaner } from './clean-value.ts'

const cleaner = (secrets: readonly string[] = [], home: string | null = '/home/ada') =>
  createCleaner({ secrets, home })

test('masks known keys, the user’s own values and values of fields that are named like secrets', () => {
  const found: unknown[] = []
  const event = {
    text: 'use sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345 now',
    output: 'token is hunter2-hunter2, again hunter2-hunter2',
    input: { env: { API_KEY: 'abcdef ghi', NAME: 'shop' }, password: 'process.env.DB' },
    list: [{ 'hunter2-hunter2': 1 }],
  }
  expect(cleaner(['hunter2-hunter2'])(event, (secret) => found.push(secret))).toEqual({
    text: 'use [secret] now',
    output: 'token is [secret], again [secret]',
    input: { env: { API_KEY: '[secret]', NAME: 'shop' }, password: 'process.env.DB' },
    list: [{ '[secret]': 1 }],
  })
  expect(found).toEqual([
    { count: 1, excerpt: 'use [secret] now' },
    { count: 2, excerpt: 'token is [secret], again [secret]' },
    { count: 1, excerpt: 'API_KEY: [secret]' },
    { count: 1, excerpt: ': [secret]' },
  ])
})

test('masks the longer of two secrets, and no value that is too short to be one', () => {
  expect(cleaner(['secret-part', 'secret-part-and-more', 'true'])('secret-part-and-more true')).toBe(
    '[secret] true',
  )
})

test.each([
  ['/home/ada/src', '~/src'],
  ['open file:///home/ada/x and "/home/ada"', 'open file://~/x and "~"'],
  ['/home/adam/src and /mnt/home/ada/x', '/home/adam/src and /mnt/home/ada/x'],
  ['cp -r /home/ada/a:/home/ada/b', 'cp -r ~/a:~/b'],
])('shortens the home folder in %s', (text, expected) => {
  expect(cleaner()(text)).toBe(expected)
})

test('shortens paths of Windows, also as JSON in a text', () => {
  const clean = cleaner([], String.raw`C:\Users\ada`)
  expect(clean(String.raw`C:\Users\ada\shop {"path":"C:\\Users\\ada\\shop"}`)).toBe(
    String.raw`~\shop {"path":"~\\shop"}`,
  )
})

test('keeps images and signatures byte for byte, and a value without a change the same object', () => {
  const value = {
    source: { type: 'base64', data: 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345/home/ada' },
    thought: { type: 'thinking', signature: 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz012345' },
    pace: [[1, 2]],
    nothing: null,
  }
  expect(cleaner()(value)).toBe(value)
})

test('cleans what is clean already to the same', () => {
  const clean = cleaner(['hunter2-hunter2'])
  const once = clean({
    a: 'password=hunter2-hunter2 https://me:hunter2-hunter2@host/home/ada',
    b: '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
    API_KEY: 'hunter2-hunter2',
  })
  expect(clean(once)).toBe(once)
})
