import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CRUISED } from './runner/check.mjs'

const root = join(import.meta.dirname, '..')
const cruiser = join(root, 'node_modules', 'dependency-cruiser', 'bin', 'dependency-cruiser.mjs')

const config: { default: { forbidden: readonly { name: string }[] } } = await import(
  join(root, '.dependency-cruiser.mjs')
)
const rules = config.default.forbidden.map((rule) => rule.name)

/** Each file breaks the rule in its key. */
const VIOLATIONS: Readonly<Record<string, readonly [path: string, source: string]>> = {
  'no-cycles': ['src/shared/planted-a.ts', "import './planted-b.ts'\n"],
  'shared-imports': ['src/shared/planted-node.ts', "import 'node:fs'\n"],
  'shared-tests': ['src/shared/planted.test.ts', "import '../main/runtime/ports/ports.ts'\n"],
  'runtime-imports': ['src/main/runtime/planted-node.ts', "import 'node:fs'\n"],
  'runtime-tests': ['src/main/runtime/planted.test.ts', "import '../platform/planted.ts'\n"],
  'runtime-ports-below': ['src/main/runtime/ports/planted.ts', "import '../agent/planted-above.ts'\n"],
  'runtime-assembled-on-top': ['src/main/runtime/run/planted-top.ts', "import '../assemble.ts'\n"],
  'runtime-loop-downward': [
    'src/main/runtime/loop/planted-upward.ts',
    "import '../conversation/planted-above.ts'\n",
  ],
  'runtime-conversation-downward': [
    'src/main/runtime/conversation/planted.ts',
    "import '../agent/planted-above.ts'\n",
  ],
  'runtime-agent-downward': ['src/main/runtime/agent/planted.ts', "import '../run/planted-above.ts'\n"],
  'runtime-run-downward': ['src/main/runtime/run/planted.ts', "import '../teams/planted-above.ts'\n"],
  'platform-imports': ['src/main/platform/planted.ts', "import '../features/mcp/planted-allowed.ts'\n"],
  'main-features-imports': ['src/main/features/mcp/planted.ts', "import '../../runtime/loop/planted.ts'\n"],
  'machine-doors': [
    'src/main/features/mcp/planted-clock.ts',
    "import '../../platform/system/machine-time.ts'\n",
  ],
  'verbs-load-late': ['src/main/features/mcp/verbs.ts', "import './planted.ts'\n"],
  'main-features-tests': ['src/main/features/mcp/planted.test.ts', "import '../../desktop/planted.ts'\n"],
  'main-features-apart': [
    'src/main/features/planted/planted.ts',
    "import '../mcp/planted-allowed.ts'\nimport '../planted/planted-own.ts'\n",
  ],
  ...Object.fromEntries(
    rules.flatMap((rule) => {
      const [, feature] = /^feature-(.+)-apart$/.exec(rule) ?? []
      return feature === undefined
        ? []
        : [[rule, [`src/main/features/${feature}/planted-apart.ts`, "import '../planted/planted-own.ts'\n"]]]
    }),
  ),
  'desktop-imports': ['src/main/desktop/planted.ts', "import '../platform/planted.ts'\n"],
  'electron-in-desktop-only': [
    'src/main/platform/planted-electron.ts',
    "import type { App } from 'electron'\nexport type A = App\n",
  ],
  'cli-without-desktop': ['src/main/cli.ts', "import './planted-between.ts'\n"],
  'main-without-window': ['src/main/planted-window.ts', "import '../renderer/bridge.ts'\n"],
  'preload-imports': ['src/preload/planted.ts', "import 'node:fs'\n"],
  'renderer-without-main': [
    'src/renderer/stores/planted-main.ts',
    "import '../../main/runtime/ports/ports.ts'\n",
  ],
  'fake-bridge-imports': [
    'src/renderer/testing/fake-bridge.ts',
    "import '../../main/runtime/ports/ports.ts'\n",
  ],
  'renderer-without-node': ['src/renderer/stores/planted-node.ts', "import 'node:fs'\n"],
  'bridge-imports': ['src/renderer/bridge.ts', "import './ui/planted.ts'\n"],
  'stores-imports': ['src/renderer/stores/planted.ts', "import '../ui/planted-drawn.tsx'\n"],
  'ui-imports': ['src/renderer/ui/planted.ts', "import '../stores/planted-node.ts'\n"],
  'features-imports': ['src/renderer/features/planted-one/planted.ts', "import '../../views/planted.ts'\n"],
  'features-apart': ['src/renderer/features/planted-two/planted.ts', "import '../planted-one/allowed.ts'\n"],
  'views-imports': ['src/renderer/views/planted.ts', "import '../bridge.ts'\n"],
  resolvable: ['src/shared/planted-missing.ts', "import './planted-nowhere.ts'\n"],
}

/** The rules also apply to these folders. Each file breaks the rule `resolvable`. */
const OUTSIDE_SOURCES = ['e2e/planted.ts', 'bench/planted.ts', 'scripts/planted.ts']

/** Two folders that import each other, although no two files do. */
const FOLDER_CYCLE: Readonly<Record<string, string>> = {
  'src/shared/planted-one/a.ts': "import '../planted-two/a.ts'\n",
  'src/shared/planted-two/b.ts': "import '../planted-one/b.ts'\n",
}

const BESIDE: Readonly<Record<string, string>> = {
  'src/shared/planted-one/b.ts': 'export {}\n',
  'src/shared/planted-two/a.ts': 'export {}\n',
  'src/shared/planted-b.ts': "import './planted-a.ts'\n",
  'src/main/planted-between.ts': "import './desktop/planted-allowed.ts'\n",
  'src/main/runtime/ports/ports.ts': 'export {}\n',
  'src/main/runtime/agent/planted-above.ts': 'export {}\n',
  'src/main/runtime/conversation/planted-above.ts': 'export {}\n',
  'src/main/runtime/run/planted-above.ts': 'export {}\n',
  'src/main/runtime/teams/planted-above.ts': 'export {}\n',
  'src/main/runtime/assemble.ts': 'export {}\n',
  'src/main/runtime/loop/planted.ts': "import { z } from 'zod'\nexport const schema = z.string()\n",
  'src/main/features/mcp/planted-allowed.ts':
    "import 'node:fs'\nimport '@anthropic-ai/sdk'\nimport '../../runtime/ports/ports.ts'\nimport '../../platform/planted-electron.ts'\nimport '../plugins/planted-allowed.ts'\n",
  'src/main/features/plugins/planted-allowed.ts': "import '../../../shared/planted-b.ts'\n",
  'src/main/features/planted/planted-own.ts': 'export {}\n',
  'src/main/platform/system/machine-time.ts': 'export {}\n',
  'src/main/desktop/planted-allowed.ts':
    "import 'node:fs'\nimport { app } from 'electron'\nimport '../runtime/ports/ports.ts'\nexport const a = app\n",
  'src/renderer/ui/planted-drawn.tsx': 'export {}\n',
  'src/renderer/features/planted-one/allowed.ts':
    "import '../../stores/planted-node.ts'\nimport '../../ui/planted.ts'\n",
}

interface Cruise {
  readonly modules: readonly { readonly source: string }[]
  readonly summary: {
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[]
  }
}

const FILE_RULES = '.dependency-cruiser.mjs'
const FOLDER_RULES = '.dependency-cruiser-folders.mjs'

let folder: string
let cruise: Cruise
let folders: Cruise

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'troupe-rules-'))
  for (const config of [FILE_RULES, FOLDER_RULES]) await cp(join(root, config), join(folder, config))
  await cp(join(root, 'package.json'), join(folder, 'package.json'))
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  const files = [
    ...Object.values(VIOLATIONS),
    ...Object.entries(BESIDE),
    ...Object.entries(FOLDER_CYCLE),
    ...OUTSIDE_SOURCES.map((path) => [path, "import './planted-nowhere.ts'\n"] as const),
  ]
  for (const [path, source] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), source)
  }
  cruise = await runCruiser(folder, FILE_RULES)
  folders = await runCruiser(folder, FOLDER_RULES)
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

function runCruiser(cwd: string, config: string, what: readonly string[] = CRUISED): Promise<Cruise> {
  const args = [cruiser, '--config', config, '--output-type', 'json', ...what]
  return new Promise((resolve, reject) => {
    execFile(process.execPath, args, { cwd, maxBuffer: 64 * 1024 * 1024 }, (error, stdout) => {
      // The exit code is the number of violations.
      if (stdout === '') reject(error ?? new Error('dependency-cruiser printed nothing'))
      else resolve(JSON.parse(stdout))
    })
  })
}

test.each(Object.entries(VIOLATIONS))('the rule %s catches %s', (rule, [path]) => {
  const caught = cruise.summary.violations.filter((violation) => violation.rule.name === rule)
  expect(caught.map((violation) => violation.from)).toContain(path)
})

test.each(OUTSIDE_SOURCES)('the rules apply to %s', (path) => {
  expect(cruise.summary.violations.map((violation) => violation.from)).toContain(path)
})

test('folders that import each other are reported', () => {
  const caught = folders.summary.violations.filter(({ rule }) => rule.name === 'no-folder-cycles')
  expect(caught.map(({ from }) => from).toSorted()).toEqual(
    expect.arrayContaining(['src/shared/planted-one', 'src/shared/planted-two']),
  )
})

test('every rule has a planted violation', () => {
  expect(rules.toSorted()).toEqual(Object.keys(VIOLATIONS).toSorted())
})

test('allowed imports pass', () => {
  const blamed = new Set(cruise.summary.violations.map((violation) => violation.from))
  const allowed = Object.keys(BESIDE).filter((path) => !path.endsWith('planted-b.ts'))
  expect(allowed.filter((path) => blamed.has(path))).toEqual([])
})

/** A little of each part: the check itself reads all, and says nothing where it can read nothing. */
const SOME = [
  ...['src/shared/kernel', 'src/main/desktop/window', 'src/preload', 'src/renderer/ui'],
  ...['e2e/testing', 'bench', 'scripts/runner'],
]

test('the check reads the real sources', async () => {
  const { modules } = await runCruiser(root, FILE_RULES, ['--max-depth', '1', ...SOME])
  const read = modules.map((module) => module.source)
  for (const part of SOME)
    expect(
      read.filter((source) => source.startsWith(`${part}/`) && /\.(tsx?|mjs)$/.test(source)),
      part,
    ).not.toEqual([])
})
