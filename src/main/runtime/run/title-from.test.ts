import { expect, test } from 'vitest'
import { titleFrom } from './title-from.ts'

const title = (text: string) => titleFrom([{ type: 'text', text }])

test.each([
  ['Find the bug', 'Find the bug'],
  ['Find the bug. It is in the parser, I think.', 'Find the bug'],
  ['please find the bug', 'Find the bug'],
  ['Hi! Can you please find the bug?', 'Find the bug?'],
  ['please', 'please'],
  ['Hi', 'Hi'],
  [
    '# Fix **the** `parseDate` [helper](https://example.com/x)\n\nDetails follow.',
    'Fix the parseDate helper',
  ],
  ['- one\n- two', 'one'],
  ['> quoted\n\nand more', 'quoted'],
  ['Look at /home/me/work/shop/src/pay/retry.ts:12 and src/pay/log.ts', 'Look at retry.ts and log.ts'],
  ['Read C:\\work\\shop\\pay.ts', 'Read pay.ts'],
  ['Compare client/server and and/or', 'Compare client/server and and/or'],
  ['@src/pay/retry.ts is slow', 'retry.ts is slow'],
  ['See https://example.com/a/long/path?with=query for it', 'See example.com for it'],
  ['```ts\nconst a = 1\n```\nWhy is this wrong?', 'Why is this wrong?'],
  ['```ts\nconst a = 1\n```', 'const a = 1'],
  ['Use v1.2.3, e.g. in package.json', 'Use v1.2.3, e.g. in package.json'],
  ['Ok. Do it.', 'Ok. Do it'],
  ['\n\n   \n  Third line  \nfourth', 'Third line'],
  ['修复登录页面的错误。然后写测试。', '修复登录页面的错误'],
  ['<pasted-text-1 lines="60">\nTypeError: cart is null\n</pasted-text-1>', 'TypeError: cart is null'],
  ['', 'A picture'],
])('%j', (text, expected) => {
  expect(title(text)).toBe(expected)
})

test('a long sentence ends at a word; a long word is cut', () => {
  const long = title(
    'Rewrite the scheduler so that agents which wait for their children never hold a slot while they wait',
  )
  expect(long).toBe('Rewrite the scheduler so that agents which wait for their…')
  expect(long.length).toBeLessThanOrEqual(60)
  expect(title('x'.repeat(200))).toBe(`${'x'.repeat(59)}…`)
  expect(title('👍'.repeat(80))).toMatch(/^(?:👍)+…$/)
})

test('control and direction characters stay out of the list', () => {
  expect(title('Fix\u202E the\u0007 bug')).toBe('Fix the bug')
})

test('a huge message costs no time', () => {
  const startedAt = performance.now()
  title(`${'a/'.repeat(500_000)}`)
  title('`'.repeat(1_000_000))
  expect(performance.now() - startedAt).toBeLessThan(5000)
})
