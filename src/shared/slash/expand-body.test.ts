import { describe, expect, test } from 'vitest'
import { readCommandFile } from './command-file.ts'
import { expandBody } from './expand-body.ts'
import { readSlashLine, splitArguments } from './slash-line.ts'

const textOf = (body: string, rest: string) =>
  expandBody(body, rest)
    .map((part) => (part.kind === 'command' ? `{${part.command}}` : part.text))
    .join('')

describe('a typed line', () => {
  test.each([
    ['/deploy', 'deploy', ''],
    ['/git:commit -m "x y" ', 'git:commit', '-m "x y"'],
    ['/mcp__srv__ask a\nb', 'mcp__srv__ask', 'a\nb'],
  ])('%j is a command', (line, name, rest) => expect(readSlashLine(line)).toEqual({ name, rest }))

  test.each(['/usr/bin is full', ' /deploy', '/', '/ x', 'a /deploy', '//x'])('%j is text', (line) =>
    expect(readSlashLine(line)).toBeNull(),
  )

  test('quotes keep spaces in an argument', () => {
    expect(splitArguments(`a "b c" 'd "e' f"g h" it's`)).toEqual(['a', 'b c', 'd "e', 'fg h', "it's"])
  })
})

describe('the body of a command', () => {
  test('takes all arguments or single ones, and leaves other dollars', () => {
    expect(textOf('$ARGUMENTS: $1 of $2, $3. $10 $x', 'a "b c"')).toBe('a "b c": a of b c, . $10 $x')
  })

  test('without a placeholder gets the arguments at its end', () => {
    expect(textOf('Do it.', 'now')).toBe('Do it.\n\nArguments: now')
    expect(textOf('Do it.', '')).toBe('Do it.')
  })

  test('has shell commands with arguments; arguments add none', () => {
    expect(expandBody('Log:\n!`git log $1`', 'main')).toEqual([
      { kind: 'text', text: 'Log:\n' },
      { kind: 'command', command: 'git log main' },
    ])
    expect(expandBody('See $ARGUMENTS', '!`rm -rf x`').some(({ kind }) => kind === 'command')).toBe(false)
    expect(expandBody('a!`x` and `code`', '').every(({ kind }) => kind === 'text')).toBe(true)
  })

  test('names files after a space; an address of mail is text', () => {
    expect(
      expandBody('Read @src/a.ts, or (@b.md). me@x.org', '').filter(({ kind }) => kind === 'file'),
    ).toEqual([
      { kind: 'file', text: '@src/a.ts', path: 'src/a.ts' },
      { kind: 'file', text: '@b.md', path: 'b.md' },
    ])
    expect(textOf('Read @src/a.ts, or (@b.md). me@x.org', '')).toBe('Read @src/a.ts, or (@b.md). me@x.org')
  })
})

describe('a command file', () => {
  test('has the fields that people use', () => {
    const text =
      '---\ndescription: Fix\nargument-hint: [issue] [priority]\nallowed-tools: Bash(git add:*, git commit:*), Read\nmodel: haiku\n---\n\nFix $1.\n'
    expect(readCommandFile(text)).toEqual({
      kind: 'command',
      command: {
        description: 'Fix',
        argumentHint: '[issue] [priority]',
        allowedTools: ['Bash(git add:*, git commit:*)', 'Read'],
        body: 'Fix $1.',
      },
    })
  })

  test('needs no frontmatter: the first line describes it', () => {
    expect(readCommandFile('# Tidy up\n\nDo it.')).toMatchObject({
      command: { description: 'Tidy up', argumentHint: '', allowedTools: [] },
    })
  })

  test.each([
    ['---\ndescription: x\nBody', 1, 'no closing line'],
    ['\n---\ndescription: x\nmodel: {a: [}\n---\nBody', 4, 'not valid YAML'],
    ['---\n- a\n---\nBody', 2, 'not a list of fields'],
    ['---\ndescription: x\n---\n', 4, 'no text'],
  ])('%j is wrong, with the line', (text, line, message) => {
    const read = readCommandFile(text)
    expect(read).toMatchObject({ kind: 'wrong', line })
    expect(read.kind === 'wrong' && read.message).toContain(message)
  })
})
