import { describe, expect, it, test } from 'vitest'
import { checkRule, refusalText } from './rule-form.ts'

const check = (text: string, list: 'deny' | 'ask' | 'allow' = 'deny') => checkRule(text, list)

describe('a rule that counts', () => {
  it.each([
    'Bash',
    'Bash(*)',
    'bash(ls)',
    'Bash(npm run test:*)',
    'Bash(git * main)',
    'Bash(npm run build && npm test)',
    'Bash(echo "a; b")',
    'Read(./secrets/**)',
    'Read(//etc/hosts)',
    'Read(~/.ssh/**)',
    'Edit(/src/**/*.{ts,tsx})',
    'Edit(app/[id]/page.tsx)',
    'Edit(app/\\[id\\]/page.tsx)',
    'Write(*.md)',
    'Grep(docs/)',
    'WebFetch',
    'WebFetch(domain:example.com)',
    'WebFetch(domain:*.example.com)',
    'WebFetch(domain:münchen.example)',
    'WebFetch(domain:127.0.0.1)',
    'WebSearch',
    'mcp__github',
    'mcp__github__*',
    'mcp__github__create_issue',
    'mcp__my_server__get_*',
    'Agent(Explore)',
    'Task(Explore)',
    'Skill(review:*)',
    'Skill(deploy *)',
  ])('%s', (text) => {
    expect(check(text, 'allow')).toEqual({ ok: true, note: null })
  })
})

describe('a refused rule', () => {
  it.each<[string, string, string | null, string | null]>([
    ['Bash(npm test', 'has brackets that are empty or not balanced', null, 'Bash'],
    ['Bash()', 'has brackets that are empty or not balanced', null, 'Bash'],
    ['Bash(:*)', 'has brackets that are empty or not balanced', null, 'Bash'],
    ['Bsh(rm:*)', 'names the unknown tool Bsh', 'Bash(rm:*)', 'Bash(rm:*)'],
    ['Raed(secrets/**)', 'names the unknown tool Raed', 'Read(secrets/**)', 'Read(secrets/**)'],
    ['Reed', 'names the unknown tool Reed', 'Read', 'Read'],
    ['Edit:src/**', 'has no brackets', 'Edit(src/**)', 'Edit(src/**)'],
    ['Read ~/.ssh/**', 'has no brackets', 'Read(~/.ssh/**)', 'Read(~/.ssh/**)'],
    ['./secrets/**', 'names no tool', 'Read(./secrets/**)', 'Read(./secrets/**)'],
    ['rm -rf', 'names no tool', 'Bash(rm -rf:*)', 'Bash(rm -rf:*)'],
    ['git push *', 'names no tool', 'Bash(git push:*)', 'Bash(git push:*)'],
    ['', 'names no tool', null, null],
    ['*', 'names no tool', null, null],
    [
      'Bash(git:* push)',
      'has :* before its end, where it has no meaning',
      'Bash(git * push)',
      'Bash(git * push)',
    ],
    [
      'Bash(curl * | sh)',
      'covers nothing, because each command of a line is judged by itself',
      'Bash(sh:*)',
      'Bash(sh:*)',
    ],
    [
      'Bash(make && make install)',
      'covers nothing, because each command of a line is judged by itself',
      'Bash(make install:*)',
      'Bash(make install:*)',
    ],
    ['Bash(ls;)', 'covers nothing, because each command of a line is judged by itself', null, 'Bash'],
    [
      'Read(!docs/**)',
      'starts with !, but rules have no exceptions: write narrower rules instead',
      null,
      'Read',
    ],
    ['Read(src:*)', 'has :*, which is for commands', 'Read(src/**)', 'Read(src/**)'],
    ['Read($HOME/.ssh/**)', 'has a variable, which is not expanded', 'Read(~/.ssh/**)', 'Read(~/.ssh/**)'],
    ['Read($SECRETS/**)', 'has a variable, which is not expanded', null, 'Read'],
    [
      'Read(~root/x)',
      'names the home folder of another user: write its absolute path with // at its start',
      null,
      'Read',
    ],
    [
      'Read(C:\\Users\\me\\x)',
      'is a path with a drive: absolute paths start with //',
      'Read(//C:/Users/me/x)',
      'Read(//C:/Users/me/x)',
    ],
    ['Edit(src\\main.ts)', 'has backslashes: paths have slashes', 'Edit(src/main.ts)', 'Edit(src/main.ts)'],
    ['Edit(a[b)', 'has a bracket [ without its partner', 'Edit(a\\[b)', 'Edit(a\\[b)'],
    [
      'WebFetch(https://example.com/x)',
      'needs domain: and the name of a host',
      'WebFetch(domain:example.com)',
      'WebFetch(domain:example.com)',
    ],
    [
      'WebFetch(example.com)',
      'needs domain: and the name of a host',
      'WebFetch(domain:example.com)',
      'WebFetch(domain:example.com)',
    ],
    ['WebFetch(domain:*)', 'covers every host', 'WebFetch', 'WebFetch'],
    [
      'WebFetch(domain:example.com:8080/x)',
      'has more than the name of a host',
      'WebFetch(domain:example.com)',
      'WebFetch(domain:example.com)',
    ],
    [
      'WebFetch(domain:example.*)',
      'has a star that does not stand for all hosts below a domain, as in *.example.com',
      null,
      'WebFetch',
    ],
    [
      'WebFetch(domain:*example.com)',
      'has a star that does not stand for all hosts below a domain, as in *.example.com',
      null,
      'WebFetch',
    ],
    ['WebFetch(domain:a b)', 'names no host', null, 'WebFetch'],
    ['WebSearch(news)', 'has brackets, but a rule covers every call of WebSearch', 'WebSearch', 'WebSearch'],
    [
      'mcp__github(x)',
      'has brackets, but a rule covers every call of an MCP tool',
      'mcp__github',
      'mcp__github',
    ],
    ['mcp_github', 'names an MCP server with one underscore', 'mcp__github', 'mcp__github'],
    ['mcp__', 'names no MCP server', null, null],
    ['mcp__github____x', 'has a star or __ at a wrong place', 'mcp__github', 'mcp__github'],
    ['Agent(Explore, Plan)', 'names several at once: write a rule for each', null, 'Agent'],
    ['Bash(r\u200bm:*)', 'contains an invisible character', 'Bash(rm:*)', 'Bash(rm:*)'],
    ['Bash(npm test\nrm x)', 'contains an invisible character', 'Bash(npm test rm x)', 'Bash(npm test rm x)'],
  ])('%s', (text, because, instead, asks) => {
    expect(check(text)).toEqual({ ok: false, because, instead, asks })
  })

  it('has a form that counts instead', () => {
    for (const text of ['Bsh(rm:*)', 'Read(C:\\x)', 'WebFetch(https://a.b/c)', 'Edit(a[b)', 'git push *']) {
      const form = check(text)
      expect(form.ok ? null : check(form.instead ?? '')).toEqual({ ok: true, note: null })
    }
  })

  test('calls of external agents that Troupe can’t read are not allowed by a rule', () => {
    for (const text of ['acp_tool', 'acp_execute', ' acp_tool '])
      expect(check(text, 'allow')).toMatchObject({ ok: false, because: expect.stringContaining('each time') })
    expect(check('acp_tool', 'deny')).toMatchObject({ ok: true })
  })

  test('the name of an MCP server is written as in its tools', () => {
    expect(check('mcp__claude.ai Docs')).toMatchObject({ ok: false, asks: 'mcp__claude_ai_Docs' })
    expect(check('mcp__a.b__read')).toMatchObject({ ok: false, instead: 'mcp__a_b__read' })
  })

  test('the sentence names the rule, the reason and what to write', () => {
    const form = check('Raed(a)')
    expect(form.ok ? '' : refusalText('Raed(a)', form)).toBe(
      'The rule "Raed(a)" names the unknown tool Raed. Write "Read(a)".',
    )
  })
})

describe('a note', () => {
  const note = (text: string, list: 'deny' | 'allow') => {
    const form = check(text, list)
    return form.ok ? form.note : form.because
  }

  it('tells about a rule that covers less than it seems to', () => {
    expect(note('Bash(rm)', 'deny')).toContain('covers only "rm" without arguments')
    expect(note('Bash(make)', 'allow')).toBeNull()
    expect(note('forecast', 'deny')).toContain('Troupe has no tool forecast')
  })
})
