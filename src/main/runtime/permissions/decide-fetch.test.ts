import { describe, expect, it, test } from 'vitest'
import type { PermissionTarget } from '../ports/tool.ts'
import { decidePermission } from './decide-permission.ts'
import type { PermissionDecision } from './permission-concern.ts'
import { look, type Situation } from './testing/judge.ts'

const URL_A = 'https://docs.example.com/page?q=1'

function judge(
  url: string,
  { denied = [], ...situation }: Situation & { readonly denied?: readonly string[] } = {},
): Promise<PermissionDecision> {
  const target: PermissionTarget = { kind: 'fetch', url }
  return decidePermission({
    tool: 'WebFetch',
    target,
    mode: 'default',
    rules: [],
    trusted: true,
    bypassAllowed: false,
    dataFolder: null,
    realPath: async () => ({ ok: true, value: '/' }),
    look,
    denied,
    ...situation,
    agent: { readOnly: false, root: '/repo', ...situation.agent },
  })
}
const kindOf = async (...args: Parameters<typeof judge>) => (await judge(...args)).kind

describe('a web page', () => {
  it('asks with its address, and offers the domain', async () => {
    expect(await judge(URL_A)).toEqual({
      kind: 'ask',
      subject: { kind: 'url', action: 'fetch a web page', text: URL_A, folder: '/repo' },
      because: 'No rule allows docs.example.com.',
      alwaysRule: 'WebFetch(domain:docs.example.com)',
      offers: [
        {
          rule: 'WebFetch(domain:docs.example.com)',
          alsoCovers: 'every other page of docs.example.com',
        },
        {
          rule: 'WebFetch(domain:*.example.com)',
          alsoCovers: 'every host below example.com, for example api.example.com',
        },
      ],
      remedy: expect.stringContaining('WebFetch(domain:docs.example.com)'),
    })
  })

  it.each(['default', 'acceptEdits', 'plan'] as const)('asks in %s', async (mode) => {
    expect(await kindOf(URL_A, { mode })).toBe('ask')
    expect(await kindOf(URL_A, { mode, agent: { readOnly: true } })).toBe('ask')
  })

  it('needs a rule in dontAsk, and none in bypassPermissions', async () => {
    expect(await judge(URL_A, { mode: 'dontAsk' })).toMatchObject({
      kind: 'deny',
      because: expect.stringContaining('WebFetch(domain:docs.example.com)'),
    })
    const rules = ['WebFetch(domain:docs.example.com)']
    expect(await kindOf(URL_A, { mode: 'dontAsk', rules })).toBe('allow')
    expect(await kindOf(URL_A, { mode: 'bypassPermissions', bypassAllowed: true })).toBe('allow')
    expect(await kindOf(URL_A, { mode: 'bypassPermissions' })).toBe('ask')
  })

  it('is denied in an untrusted folder, whatever the rules say', async () => {
    expect(await kindOf(URL_A, { trusted: false, rules: ['WebFetch'] })).toBe('deny')
  })

  it('makes hidden characters visible', async () => {
    expect(await judge('https://a.example/\u202egpj.exe')).toMatchObject({
      subject: { text: expect.not.stringContaining('\u202e') },
    })
  })
})

test.each([
  ['WebFetch', URL_A, 'allow'],
  ['WebFetch(*)', URL_A, 'allow'],
  ['WebFetch(domain:docs.example.com)', URL_A, 'allow'],
  ['WebFetch(domain: DOCS.Example.com)', URL_A, 'allow'],
  ['WebFetch(domain:docs.example.com)', 'http://docs.example.com:8080/', 'allow'],
  ['WebFetch(domain:docs.example.com)', 'https://docs.example.com./', 'allow'],
  ['WebFetch(domain:example.com)', URL_A, 'ask'],
  ['WebFetch(domain:example.com)', 'https://example.com.evil.org/', 'ask'],
  ['WebFetch(domain:example.com)', 'https://evil-example.com/', 'ask'],
  ['WebFetch(domain:example.com)', 'https://evil.org/?example.com', 'ask'],
  ['WebFetch(domain:example.com)', 'https://example.com@evil.org/', 'ask'],
  ['WebFetch(domain:*.example.com)', URL_A, 'allow'],
  ['WebFetch(domain:*.example.com)', 'https://example.com/', 'ask'],
  ['WebFetch(domain:*.example.com)', 'https://evilexample.com/', 'ask'],
  ['WebFetch(domain:*)', URL_A, 'ask'],
  ['WebFetch(domain:)', URL_A, 'ask'],
  ['WebFetch(docs.example.com)', URL_A, 'ask'],
  ['WebFetch(domain:münchen.example)', 'https://xn--mnchen-3ya.example/', 'allow'],
  ['WebSearch', URL_A, 'ask'],
  ['WebFetch(domain:example.com)', 'no address', 'ask'],
])('the rule %s and %s: %s', async (rule, url, kind) => {
  expect(await kindOf(url, { rules: [rule] })).toBe(kind)
})

test.each([
  ['WebFetch', 'deny'],
  ['WebFetch(domain:docs.example.com)', 'deny'],
  ['WebFetch(domain:example.com)', 'deny'],
  ['WebFetch(domain:*.example.com)', 'deny'],
  ['WebFetch(domain:ample.com)', 'allow'],
  ['WebFetch(domain:other.com)', 'allow'],
])('a denial %s, beside a rule that allows: %s', async (rule, kind) => {
  expect(await kindOf(URL_A, { rules: ['WebFetch'], denied: [rule] })).toBe(kind)
  expect(await kindOf(URL_A, { rules: ['WebFetch'], agent: { denied: [rule] } })).toBe(kind)
})

test('a definition narrows the tool to domains', async () => {
  const rules = ['WebFetch']
  expect(await kindOf(URL_A, { rules, agent: { only: ['WebFetch(domain:docs.example.com)'] } })).toBe('allow')
  expect(await kindOf(URL_A, { rules, agent: { only: ['WebFetch(domain:other.com)'] } })).toBe('deny')
})
