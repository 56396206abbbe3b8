import { cleanup, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, test } from 'vitest'
import { inTranscript } from '../testing/in-transcript.tsx'
import { Markdown } from './markdown.tsx'

afterEach(cleanup)

const draw = (text: string, growing = false) => inTranscript(<Markdown text={text} growing={growing} />)

/** Elements and attributes that no text may add to the page. */
function expectHarmless(container: HTMLElement) {
  for (const element of container.querySelectorAll('*')) {
    expect(element.tagName.toLowerCase()).toMatch(
      /^(?:div|p|span|strong|em|del|code|pre|figure|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|hr|br|wbr|sup|section|col|colgroup|button|svg|path|rect)$/,
    )
    for (const { name, value } of element.attributes) {
      expect(name).not.toMatch(/^(?:on|href$|src|srcset|action|formaction|xlink|name$)/)
      // The window’s own controls may have styles; a text must not set any.
      if (name === 'id') expect(value).toMatch(/^base-ui-/)
      if (name === 'style') expect(value).not.toMatch(/url|expression/)
    }
  }
}

describe('hostile markdown', () => {
  for (const hostile of [
    '<script>alert(1)</script>',
    'text <img src=x onerror=alert(1)> text',
    '<iframe src="https://evil.example"></iframe>',
    '<style>body { background: url(https://evil.example/x) }</style>',
    '<a href="javascript:alert(1)">click</a>',
    '<div onclick="alert(1)">\n\n**bold**\n\n</div>',
    '<svg><script>alert(1)</script></svg>',
    '<form action="https://evil.example"><input name=q></form>',
    '[click](javascript:alert(1))',
    '[click](JaVaScRiPt:alert(1))',
    '[click](java\nscript:alert(1))',
    '[click](&#106;avascript:alert(1))',
    '[click](data:text/html;base64,PHNjcmlwdD4=)',
    '[click](vbscript:msgbox)',
    '[click](file:///etc/passwd)',
    '[click](blob:https://x/1)',
    '[click](http://plain.example)',
    '[click](https://user:secret@evil.example)',
    '[click](//evil.example)',
    '<javascript:alert(1)>',
    '![x](https://evil.example/track.png)',
    '![x](data:image/svg+xml;base64,PHN2Zz4=)',
    '![x](javascript:alert(1))',
    '[![x](https://evil.example/a.png)](javascript:alert(1))',
    '[ref]\n\n[ref]: javascript:alert(1)',
    'note[^1]\n\n[^1]: <b onmouseover=alert(1)>x</b>',
    '| a |\n|---|\n| <img src=x onerror=alert(1)> |',
    '```mermaid\ngraph TD; A-->B\n```',
    '```html\n<script>alert(1)</script>\n```',
    '$$\\href{javascript:alert(1)}{x}$$',
  ])
    for (const growing of [false, true])
      test(`${JSON.stringify(hostile)} does nothing${growing ? ' while it streams' : ''}`, () => {
        const { container, surroundings } = draw(hostile, growing)
        expectHarmless(container)
        expect(
          container.querySelector('script, img, iframe, style, a, form, input, object, embed'),
        ).toBeNull()
        for (const button of container.querySelectorAll('button, [role]')) fireEvent.click(button)
        for (const [url] of surroundings.openLink.mock.calls) expect(url).toMatch(/^(?:https|mailto):/)
        for (const [file] of surroundings.openFile.mock.calls) expect(file.path).not.toMatch(/:/)
      })

  test('raw HTML is shown as text', () => {
    const { container } = draw('before\n\n<script>alert(1)</script>\n\nafter')
    expect(container.textContent).toContain('<script>alert(1)</script>')
  })

  test('the address of a blocked link is shown', () => {
    const { container } = draw('[your bank](javascript:steal())')
    expect(container.textContent).toBe('your bank (javascript:steal())')
  })
})

test('the main process opens links, and shows the whole address first', () => {
  const { surroundings } = draw('See [the docs](https://docs.example/a?b=1) or ada@example.com')
  const link = screen.getByRole('link', { name: 'the docs' })
  expect(link.title).toBe('https://docs.example/a?b=1')
  fireEvent.click(link)
  fireEvent.click(screen.getByRole('link', { name: 'ada@example.com' }))
  expect(surroundings.openLink.mock.calls).toEqual([
    ['https://docs.example/a?b=1'],
    ['mailto:ada@example.com'],
  ])
})

test('a remote image is a link with its description', () => {
  const { surroundings } = draw('![the plan](https://pictures.example/plan.png)')
  fireEvent.click(screen.getByRole('link', { name: 'Image: the plan' }))
  expect(surroundings.openLink).toHaveBeenCalledWith('https://pictures.example/plan.png')
})

test('path:line opens the file, in prose, in code and as a link', () => {
  const { surroundings } = draw('In src/a.ts:12, `src/b.ts:3` and [there](src/c.ts#L7).')
  for (const name of ['src/a.ts:12', 'src/b.ts:3', 'there'])
    fireEvent.click(screen.getByRole('button', { name }))
  expect(surroundings.openFile.mock.calls.map(([file]) => file)).toEqual([
    { path: 'src/a.ts', line: 12 },
    { path: 'src/b.ts', line: 3 },
    { path: 'src/c.ts', line: 7 },
  ])
})

test('common markdown is rendered', () => {
  const { container } = draw(
    '# Head\n\n- **one**\n- [x] done\n\n1. `a`\n\n> quote\n\n| a | b |\n|---|--:|\n| 1 | 2 |',
  )
  expect(container.querySelectorAll('li')).toHaveLength(3)
  expect(container.querySelector('blockquote')?.textContent?.trim()).toBe('quote')
  expect(container.querySelectorAll('td')).toHaveLength(2)
  expect(screen.getByRole('img', { name: 'Done' })).toBeTruthy()
})

test('code keeps its exact text and names its language', () => {
  draw('```ts\nconst a = "<b>" // x\n\n  b\n```')
  const code = screen.getByRole('figure', { name: 'Code in ts' })
  expect(code.querySelector('pre')?.textContent).toBe('const a = "<b>" // x\n\n  b')
})

test('a link is inline text, so that a long path wraps with its line', () => {
  const { surroundings, container } = draw(
    '- `src/a/very/long/path/of/a/project/file.ts:12` and [x](https://x.example)',
  )
  const file = screen.getByTitle(/^Open src.a.very/)
  const link = screen.getByRole('link', { name: 'x' })
  expect([file.tagName, link.tagName]).toEqual(['SPAN', 'SPAN'])
  expect([file.tabIndex, link.tabIndex]).toEqual([0, 0])
  expect(container.querySelector('code .inline-block')).toBeNull()
  fireEvent.keyDown(file, { key: 'Enter' })
  fireEvent.keyDown(file, { key: ' ' })
  fireEvent.keyDown(link, { key: 'Enter' })
  fireEvent.keyDown(link, { key: 'x' })
  expect(surroundings.openFile).toHaveBeenCalledTimes(2)
  expect(surroundings.openLink).toHaveBeenCalledTimes(1)
})

test('selecting text over a link does not open it', () => {
  const { surroundings } = draw('See [the docs](https://docs.example/a) now')
  const link = screen.getByRole('link', { name: 'the docs' })
  getSelection()?.selectAllChildren(link)
  fireEvent.click(link)
  expect(surroundings.openLink).not.toHaveBeenCalled()
  getSelection()?.removeAllRanges()
  fireEvent.click(link)
  expect(surroundings.openLink).toHaveBeenCalledTimes(1)
})

test('a path breaks after its slashes only, in prose, code, tables and links', () => {
  const path = 'src/renderer/features/transcript/rows/tool-row.tsx'
  for (const text of [
    path,
    `\`${path}\``,
    `\`${path}:12\``,
    `| a |\n|---|\n| ${path} |`,
    `[${path}](${path})`,
  ]) {
    const { container, unmount } = draw(text)
    const breaks = [...container.querySelectorAll('wbr')]
    expect(breaks.map((one) => one.previousSibling?.textContent?.at(-1))).toEqual(Array(5).fill('/'))
    expect(container.textContent).toContain(path)
    unmount()
  }
})

test('each block has its own direction, and code runs from left to right', () => {
  const { container } = draw(
    '# שלום\n\nשלום `npm test`\n\n- אחת\n\n> ציטוט\n\n| א |\n|---|\n| ב |\n\n```ts\nconst a = 1\n```\n\nHello',
  )
  const blocks = [...container.querySelectorAll('[dir="auto"]')]
  expect(blocks.map((block) => block.tagName)).toEqual(['P', 'P', 'UL', 'BLOCKQUOTE', 'TABLE', 'P'])
  // A direction inside a block would hide its text from the block's own direction.
  for (const block of blocks) expect(block.querySelector('[dir="auto"]')).toBeNull()
  for (const code of container.querySelectorAll('code'))
    expect(code.closest('[dir]')?.getAttribute('dir')).toBe('ltr')
})

describe('while it streams', () => {
  test('unclosed markup is rendered as if closed', () => {
    const { container, redraw } = draw('a **bold', true)
    expect(container.querySelector('strong')?.textContent).toBe('bold')
    redraw(<Markdown text="see [the docs](https://do" growing />)
    expect(container.textContent).toContain('the docs')
    expect(container.textContent).not.toContain('](')
  })

  test.each([
    'See [the docs](https://docs.example/a/b "A title") now.',
    'See [the **bold** docs](https://docs.example/a_(b)) now.',
    '- one\n- [the docs](https://docs.example/a) now.',
    'See ![the plan](https://docs.example/plan.png) now.',
    'See [![the plan](https://docs.example/plan.png)](https://docs.example/a) now.',
    '**[the docs](https://docs.example/a)** now.',
    'See https://docs.example/a/b and ada@docs.example now.',
    'See <https://docs.example/a/b> now.',
    'In src/a.ts:123:45, `src/b.ts:678` and [there](src/c.ts#L789) now.',
  ])('nothing of an unfinished link shows or can be clicked: %s', (text) => {
    const whole = draw(text)
    const links = (container: HTMLElement) =>
      [...container.querySelectorAll<HTMLElement>('[role="link"], [role="button"]')].map(
        (link) => `${link.title} ${link.textContent}`,
      )
    const final = links(whole.container)
    whole.unmount()
    const { container, redraw } = draw('', true)
    for (let length = 1; length <= text.length; length++) {
      redraw(<Markdown text={text.slice(0, length)} growing />)
      expect(container.innerHTML).not.toContain('incomplete')
      expect(container.textContent).not.toMatch(/\]\(|\]\[|\[the/)
      for (const link of links(container)) expect(final).toContain(link)
    }
    redraw(<Markdown text={text} streamed />)
    expect(links(container)).toEqual(final)
  })

  test('the widths of columns come from the first row and stay', () => {
    const head = '| file | what |\n|---|---|\n| src/a.ts | a longer text about it |\n'
    const { container, redraw } = draw(head, true)
    const widths = () => [...container.querySelectorAll('col')].map((col) => col.style.width)
    const first = widths()
    expect(first).toHaveLength(2)
    expect(Number.parseFloat(first[1] ?? '')).toBeGreaterThan(Number.parseFloat(first[0] ?? ''))
    const text = `${head}| src/a/much/longer/path/than/the/first.ts | x |\n`
    redraw(<Markdown text={text} growing />)
    expect(widths()).toEqual(first)
    redraw(<Markdown text={text} streamed />)
    expect(widths()).toEqual(first)
  })

  test('the caret of a table is in a row of its own, below the finished rows', () => {
    const { container } = draw('| a | b |\n|---|---|\n| 1 | 2 |\n', true)
    const caret = container.querySelector('[data-caret]')
    expect(caret?.closest('tr')?.textContent).toBe('')
    expect([...container.querySelectorAll('tr')].indexOf(caret?.closest('tr') as HTMLTableRowElement)).toBe(2)
  })

  test('the caret is after the last word, at any depth', () => {
    for (const text of ['words', '- one\n- two', '# head', '> quote']) {
      const { container, unmount } = draw(text, true)
      const caret = container.querySelector('[data-caret]')
      expect(caret?.closest('p, li, blockquote, td')).not.toBeNull()
      expect(container.textContent?.trim().endsWith(caret?.parentElement?.textContent?.trim() ?? '?')).toBe(
        true,
      )
      unmount()
    }
  })

  test('a finished text has no caret', () => {
    expect(draw('words').container.querySelector('[data-caret]')).toBeNull()
  })
})
