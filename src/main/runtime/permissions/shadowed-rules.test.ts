import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { WrittenRule } from '../../../shared/rules/written-rule.ts'
import { triesOf } from '../../../shared/testing/tries.ts'
import { parseRules, ruleForFile } from './permission-rule.ts'
import { shadowedRules } from './shadowed-rules.ts'

const written = (text: string): WrittenRule => ({
  ...{ text, source: 'user', file: '/home/me/.claude/settings.json', line: 1, where: 'settings.json:1' },
})

const isShadowed = (rule: string, deny: string): boolean => {
  const allow = written(rule)
  return shadowedRules({ deny: [written(deny)], ask: [], allow: [allow] }).has(allow)
}

test.each([
  ['Bash(git push --dry-run:*)', 'Bash(git push:*)'],
  ['Bash(git push origin main)', 'Bash(git push:*)'],
  ['Bash(git push:*)', 'Bash(git push *)'],
  ['Bash(ls)', 'Bash'],
  ['Bash(ls)', 'Bash(*)'],
  ['Bash(npm test)', 'Bash(npm test)'],
  ['Read(secrets/key)', 'Read(secrets/**)'],
  ['Read(./secrets/key)', 'Read(/secrets)'],
  ['Read(secrets/**)', 'Read(secrets/**)'],
  ['Read(secrets/a/**)', 'Read(secrets/**)'],
  ['Read(secrets/*.txt)', 'Read(secrets/**)'],
  ['Read(config/a.env)', 'Read(*.env)'],
  ['Read(//etc/hosts)', 'Read(//etc/**)'],
  ['Write(src/a.ts)', 'Edit(src/**)'],
  ['WebFetch(domain:docs.example.com)', 'WebFetch(domain:example.com)'],
  ['WebFetch(domain:*.example.com)', 'WebFetch(domain:example.com)'],
  ['WebFetch(domain:a.example.com)', 'WebFetch(domain:*.example.com)'],
  ['WebFetch(domain:example.com)', 'WebFetch'],
  ['mcp__github__create_issue', 'mcp__github'],
  ['Skill(review:pr)', 'Skill(review:*)'],
])('%s never counts with %s denied', (rule, deny) => {
  expect(isShadowed(rule, deny)).toBe(true)
})

test.each([
  ['Bash(git push:*)', 'Bash(git push --force:*)'],
  ['Bash(git push:*)', 'Bash(git push)'],
  ['Bash(git)', 'Bash(git push:*)'],
  ['Bash(git pushx)', 'Bash(git push:*)'],
  ['Bash', 'Bash(rm:*)'],
  ['Bash(echo "a b")', 'Bash(echo a:*)'],
  ['Read', 'Read(secrets/**)'],
  ['Read(secrets/**)', 'Read(secrets/key)'],
  ['Read(secrets/**)', 'Read(secrets/*.txt)'],
  ['Read(**)', 'Read(*.env)'],
  ['Read(*.env)', 'Read(config/*.env)'],
  ['Read(src/a.ts)', 'Edit(src/**)'],
  ['Read(src/a.ts)', 'Grep(src/**)'],
  ['Read(src/[ab].ts)', 'Read(src/a.ts)'],
  ['Read(//etc/hosts)', 'Read(etc/**)'],
  ['WebFetch(domain:example.com)', 'WebFetch(domain:docs.example.com)'],
  ['WebFetch(domain:example.com)', 'WebFetch(domain:*.example.com)'],
  ['WebFetch(domain:badexample.com)', 'WebFetch(domain:example.com)'],
  ['WebFetch', 'WebFetch(domain:example.com)'],
  ['mcp__github', 'mcp__github__create_issue'],
  ['Skill(review:*)', 'Skill(review:pr)'],
  ['WebSearch', 'WebFetch'],
])('%s counts with %s denied', (rule, deny) => {
  expect(isShadowed(rule, deny)).toBe(false)
})

test('a rule that asks is shadowed by one that denies, and one that allows by both', () => {
  const [deny, ask, one, other] = ['Bash(rm:*)', 'Bash(rm -r:*)', 'Bash(rm x)', 'Edit(docs/**)'].map(written)
  if (!deny || !ask || !one || !other) throw new Error('no rules')
  const edits = written('Edit')
  const found = shadowedRules({ deny: [deny], ask: [ask, edits], allow: [one, other] })
  expect(found.get(ask)).toEqual({ kind: 'deny', rule: deny })
  expect(found.get(one)).toEqual({ kind: 'deny', rule: deny })
  expect(found.get(other)).toEqual({ kind: 'ask', rule: edits })
  expect(found.has(deny)).toBe(false)
})

test('no path of a shadowed rule is left to it', () => {
  const name = fc.constantFrom('a', 'b', 'a.ts', '.env', '*', '**', '*.ts', 'a*', '[ab]', '?')
  const start = fc.constantFrom('', './', '/', '//', '//r/')
  const pattern = fc
    .tuple(start, fc.array(name, { minLength: 1, maxLength: 3 }), fc.constantFrom('', '/', '/**'))
    .map(([first, names, end]) => `${first}${names.join('/')}${end}`)
  const path = fc.array(fc.constantFrom('a', 'b', 'a.ts', '.env', 'ab', 'r'), { minLength: 1, maxLength: 4 })
  let shadowed = 0
  fc.assert(
    fc.property(pattern, pattern, fc.array(path, { minLength: 20, maxLength: 20 }), (one, other, paths) => {
      if (!isShadowed(`Read(${one})`, `Read(${other})`)) return
      shadowed += 1
      const covers = (text: string, below: string, forbids: boolean) => {
        const rules = parseRules([`Read(${text})`]).map((rule) => (forbids ? { ...rule, forbids } : rule))
        return ruleForFile(rules, { target: 'read', file: { real: `/r/${below}`, below } })
      }
      for (const below of paths.map((names) => names.join('/')))
        if (covers(one, below, false))
          expect(covers(other, below, true), `${below}: ${one} below ${other}`).not.toBeNull()
    }),
    { numRuns: triesOf(20_000) },
  )
  expect(shadowed).toBeGreaterThan(100)
})

test('a rule that asks about a folder at any depth is not shadowed by one for the top', () => {
  const ask = written('Read(secrets/**)')
  const isUseless = (deny: string) => shadowedRules({ deny: [written(deny)], ask: [ask], allow: [] }).has(ask)
  expect(isUseless('Read(/secrets/**)')).toBe(false)
  expect(isUseless('Read(**)')).toBe(true)
})
