import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { KEY_MAP, type KeyPlace } from '../shared/commands/key-map.ts'

const ROOT = join(import.meta.dirname, '..', 'renderer')

/** The parts of the window with key handlers, the most specific first, and where the help lists their keys. */
const PARTS: readonly (readonly [string, readonly KeyPlace[]])[] = [
  ['features/changes/', ['Changes of agents']],
  ['features/comparison/', ['Comparison']],
  ['features/reports/', ['Reports']],
  ['features/composer/', ['Composer']],
  ['features/palette/', ['Palette']],
  ['features/agent-panel/', ['Focused agent', 'Fields and dividers']],
  ['features/agent-tree/', ['Agent tree', 'Focused agent']],
  ['features/stage-layout/', ['Focused agent']],
  ['features/transcript/', ['Transcript']],
  ['features/conversations/', ['Conversations']],
  ['features/permissions/', ['Permission requests', 'Fields and dividers']],
  ['features/forms/', ['Forms of agents']],
  ['features/definitions/', ['Agents view', 'Definition form and source']],
  ['features/agent-tests/', ['Test bench']],
  ['views/agents/', ['Agents view']],
  ['views/teams/', ['Mailbox & teams']],
  ['features/teams/', ['Mailbox & teams']],
  ['features/worktrees/side-by-side/', ['Comparison']],
  ['features/worktrees/', ['Review', 'Files and changes', 'Fields and dividers']],
  ['views/environments/', ['Environments']],
  ['features/preview/', ['Environments']],
  ['features/environments/', ['Environments']],
  ['views/review/', ['Review', 'Files and changes']],
  ['features/settings/', ['Fields and dividers']],
  ['features/limits/', ['Fields and dividers']],
  ['features/external-agents/', ['Fields and dividers']],
  ['features/hooks/', ['Fields and dividers']],
  ['features/mcp/', ['Fields and dividers']],
  ['features/models/', ['Fields and dividers']],
  ['features/sandbox/', ['Fields and dividers']],
  ['features/workers/', ['Fields and dividers']],
  ['features/first-run/', ['Fields and dividers']],
  ['views/search/', ['Search']],
  ['features/search/', ['Search']],
  ['views/conversations/', ['All conversations']],
  ['features/insight/', ['Settings']],
  ['features/timeline/', ['Timeline']],
  ['views/timeline/', ['Timeline']],
  ['features/tutorial/', ['Fields and dividers']],
  ['features/updates/', ['Fields and dividers']],
  ['views/stage/', ['Transcript', 'Focused agent']],
  ['views/settings/', ['Settings']],
  ['features/keys/', ['Settings']],
  ['views/', ['Go to', 'Conversation', 'Agents', 'Window']],
  ['ui/platform.ts', ['Focused agent', 'Transcript']],
  ['ui/', ['Fields and dividers', 'Transcript']],
]

const SIGNS: Readonly<Record<string, string>> = {
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
  ' ': 'Space',
}

const NAMED =
  /\b(Enter|Escape|Tab|Backspace|Delete|Home|End|PageUp|PageDown|Arrow(?:Up|Down|Left|Right)|F[1-9]\d?)\b/
const HANDLER =
  /isShortcut\(|isFind\(|isTyping\(|keymap\.of\(|\bkey(?:\.toLowerCase\(\))? [!=]==? '|'keydown'|KeyDown/

/** The keys that the code of a file compares with. */
function keysIn(text: string): readonly string[] {
  const code = text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
  if (!HANDLER.test(code)) return []
  const find = (pattern: RegExp) => [...code.matchAll(pattern)].map((match) => match[1] ?? '')
  const quoted = new RegExp(`(?:'|^ +)${NAMED.source}(?:'|: )`, 'gm')
  return [
    ...find(quoted),
    ...find(/\bkey(?:\.toLowerCase\(\))? [!=]== '([^' ])'/g),
    ...find(/\bkey === '( )'/g),
    ...find(/'((?:Mod|Shift|Alt)[ -][^']+)'/g).map((keys) => keys.replaceAll('-', ' ')),
    ...find(/^ {4}'?([a-z/])'?: (?:\(\)|unlessBusy)/gm),
    ...(/isTyping\(/.test(code) ? ['Any letter'] : []),
    ...(/isFind\(/.test(code) ? ['Mod F'] : []),
  ].filter((key) => !/^Mod F$/.test(key) || /isFind\(/.test(code))
}

// The page of a shared conversation has keys of its own, which it names itself.
const files = readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path) && !/\.test\.|testing\/|sharing\/page\//.test(path))
const handlers = files
  .map((path) => [path, [...new Set(keysIn(readFileSync(join(ROOT, path), 'utf8')))]] as const)
  .filter(([, keys]) => keys.length > 0)

const listed = (places: readonly KeyPlace[]) =>
  KEY_MAP.filter(({ place }) => places.includes(place)).flatMap(({ lines }) =>
    lines.flatMap(({ keys }) => keys),
  )

/** Letters and named keys count with any modifier: the code compares modifiers apart from the key. */
function isListed(key: string, places: readonly KeyPlace[]): boolean {
  const parts = key.split(' ').map((part) => SIGNS[part] ?? part)
  const wanted = (key === ' ' ? 'Space' : parts.join(' ')).toLowerCase()
  return listed(places).some(
    (keys) => keys.toLowerCase() === wanted || keys.split(' ').at(-1)?.toLowerCase() === wanted,
  )
}

test('the window has key handlers in many parts', () => {
  expect(handlers.length).toBeGreaterThan(30)
  expect(keysIn("if (event.key === 'F2' || key === 'x') run()")).toEqual(['F2', 'x'])
  expect(isListed('F9', ['Review'])).toBe(false)
})

test.each(handlers)('the help lists every key of %s', (path, keys) => {
  const places = PARTS.find(([part]) => path.startsWith(part))?.[1]
  expect(places).toBeDefined()
  expect(keys.filter((key) => !isListed(key, places ?? []))).toEqual([])
})

test('no place lists a line twice', () => {
  for (const { place, lines } of KEY_MAP) {
    const all = lines.map(({ keys, title }) => `${place}: ${keys.join()} ${title}`)
    expect(all.filter((one, index) => all.indexOf(one) !== index)).toEqual([])
  }
})

/** After a change of the table: run this test with `-u`. */
test('the page of keys in the docs is made from the same table', async () => {
  const shown = (keys: string) => `\`${keys.replace('Mod', 'Ctrl')}\``
  const sections = KEY_MAP.map(
    ({ place, lines }) =>
      `## ${place}\n\n| keys | action |\n| --- | --- |\n${lines
        .map(({ keys, title }) => `| ${keys.map(shown).join(' ')} | ${title} |`)
        .join('\n')}\n`,
  )
  const page = `# Keys\n\nThe same list is in the window: type \`/help\`, or look for “Keys and commands” in the palette (\`Ctrl K\`). On a Mac, \`Cmd\` replaces \`Ctrl\`. Keys below a part of the window work while that part has the focus.\n\nSettings › Keys lists them all, finds a command by its keys, and changes the keys of commands, agents and panels. Changes count at once in all windows. They are kept in \`keybindings.json\` in the data folder, by the id of the action; \`null\` removes its keys:\n\n\`\`\`json\n{\n  "stop-all": "Mod Shift X",\n  "agent.pause": "Alt P",\n  "toggle-theme": null\n}\n\`\`\`\n\n\`Mod\` is \`Ctrl\`, on a Mac \`Cmd\`. A line that means nothing is told with its number, and its default holds. The other keys belong to a part of the window and are fixed.\n\n${sections.join('\n')}`
  await expect(page).toMatchFileSnapshot('../../docs/using/keys.md')
})
