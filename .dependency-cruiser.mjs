// Who may import whom: the table of docs/architecture.md as rules. Without @swc/core, dependency-cruiser reads no
// TypeScript and passes: scripts/dependency-rules.test.ts guards against that.

/** The pure libraries that the runtime may use. */
const RUNTIME_LIBRARIES = ['zod', 'yaml', 'picomatch', 'diff', 'unbash']

/** What the rest of main may know of the runtime: its ports, its public type and the shape of a tool. */
const RUNTIME_CONTRACT = '^src/main/runtime/ports/'

/** Pure parts of the runtime that a feature's composition or printed lines need. */
const RUNTIME_FOR_FEATURES =
  '^src/main/runtime/(slash/create-slash-commands|loop/explain-agent-call|paths/sensitive-files|permissions/(shadowed-rules|startup-files)|tools/(amounts|tool-registry))\\.ts$'

/** What a feature's verbs get: the command line, and the composed program. */
const COMPOSED = '^src/main/(features|command-line)\\.ts$'

/** Where the main process asks the machine for the time and for random numbers. */
const MACHINE_DOORS = '^src/main/platform/system/(machine-time|random-names)\\.ts$'

/** Which feature may import which others. A feature that is not here imports none. */
const FEATURE_PAIRS = {
  'agent-tests': ['definitions', 'run'],
  editors: ['definitions', 'run'],
  environments: ['worktrees'],
  'external-agents': ['changes', 'mcp'],
  hooks: ['plugins', 'settings'],
  mcp: ['plugins', 'settings'],
  memory: ['settings'],
  models: ['rehearsal', 'settings'],
  permissions: ['definitions', 'run', 'settings'],
  plugins: ['definitions'],
  'pull-requests': ['worktrees'],
  run: ['definitions', 'rehearsal'],
  search: ['histories'],
  setup: ['definitions', 'memory', 'plugins', 'settings'],
  slash: ['definitions', 'mcp'],
  'status-line': ['hooks', 'settings'],
  workers: ['models', 'run', 'teams', 'worktrees'],
}

/** Tests may use Node and any package, but keep to the layers. */
const TEST = '\\.test\\.tsx?$|/testing/'

/** What answers the commands of a window in a test. */
const FAKE_BRIDGE = '^src/renderer/testing/fake-bridge\\.ts$'

const packages = (names) => `(^|/)node_modules/(@types/)?(${names.join('|')})/`

/** The floors of the runtime that know agents and conversations, from the lowest. Each imports those below it only. */
const FLOORS = ['loop', 'conversation', 'agent', 'run', '(?:teams|comparison)']

/** A rule: files in `from` may import only what matches one of `to`. */
const only = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from,
  to: { pathNot: to, couldNotResolve: false },
})

/** A rule: files in `from` may not import what matches `to`. */
const never = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

export default {
  forbidden: [
    never(
      'no-cycles',
      'Files that import each other in a circle cannot be understood one by one.',
      {},
      { circular: true },
    ),
    never('resolvable', 'What is imported must exist.', {}, { couldNotResolve: true }),

    only(
      'shared-imports',
      'src/shared runs everywhere: zod and yaml only.',
      { path: '^src/shared/', pathNot: TEST },
      ['^src/shared/', packages(['zod', 'yaml'])],
    ),
    never(
      'shared-tests',
      'Tests keep to the layers.',
      { path: '^src/shared/' },
      { path: '^src/(?!shared/)' },
    ),

    only(
      'runtime-imports',
      `src/main/runtime is pure: src/shared, itself and ${RUNTIME_LIBRARIES.join(', ')}. Effects come through ports.`,
      { path: '^src/main/runtime/', pathNot: TEST },
      ['^src/shared/', '^src/main/runtime/', packages(RUNTIME_LIBRARIES)],
    ),
    never(
      'runtime-tests',
      'Tests keep to the layers.',
      { path: '^src/main/runtime/' },
      { path: '^src/(?!shared/|main/runtime/)' },
    ),

    only(
      'runtime-ports-below',
      'The ports are the floor of the runtime, and what the rest of main may know of it.',
      { path: '^src/main/runtime/ports/', pathNot: TEST },
      ['^src/shared/', '^src/main/runtime/ports/', packages(['zod'])],
    ),
    never(
      'runtime-assembled-on-top',
      'assemble.ts puts the runtime together: no part of the runtime knows it.',
      { path: '^src/main/runtime/', pathNot: TEST },
      { path: '^src/main/runtime/assemble\\.ts$' },
    ),
    ...FLOORS.slice(0, -1).map((floor, at) =>
      never(
        `runtime-${floor}-downward`,
        'Inside the runtime, state is below and assembly on top.',
        { path: `^src/main/runtime/${floor}/`, pathNot: TEST },
        { path: `^src/main/runtime/(${FLOORS.slice(at + 1).join('|')})/` },
      ),
    ),

    never(
      'platform-imports',
      "src/main/platform knows the runtime's contract (ports, worktrees, changes, runtime, tool, agent-backing, worker-link, task-board, shared-limits, interceptors, command-source, sandbox), src/shared, Node and packages.",
      { path: '^src/main/platform/', pathNot: TEST },
      { path: '^src/(?!shared/|main/platform/)', pathNot: RUNTIME_CONTRACT },
    ),
    never(
      'main-features-imports',
      "A feature of src/main knows the runtime's contract, src/main/platform, src/shared, Node and packages.",
      { path: '^src/main/features/', pathNot: TEST },
      {
        path: '^src/(?!shared/|main/platform/|main/features/)',
        pathNot: [RUNTIME_CONTRACT, RUNTIME_FOR_FEATURES, COMPOSED],
      },
    ),
    ...Object.entries(FEATURE_PAIRS).map(([feature, others]) =>
      never(
        `feature-${feature}-apart`,
        'A feature imports another one only where FEATURE_PAIRS names it.',
        { path: `^src/main/features/${feature}/`, pathNot: TEST },
        {
          path: '^src/main/features/',
          pathNot: `^src/main/features/(${[feature, ...others].join('|')})/`,
        },
      ),
    ),
    never(
      'main-features-apart',
      'A feature imports another one only where FEATURE_PAIRS names it.',
      {
        path: '^src/main/features/([^/]+)/',
        pathNot: [TEST, `^src/main/features/(${Object.keys(FEATURE_PAIRS).join('|')})/`],
      },
      { path: '^src/main/features/', pathNot: '^src/main/features/$1/' },
    ),
    never(
      'machine-doors',
      'The time and random numbers of the machine are given: only the platform, the roots, threads of their own and the composition of each feature (feature.ts) ask for them.',
      {
        path: '^src/main/',
        pathNot: [
          TEST,
          '^src/main/(index|cli|features)\\.ts$',
          '^src/main/platform/',
          '^src/main/features/[^/]+/(feature|[^/]+\\.worker)\\.ts$',
        ],
      },
      { path: MACHINE_DOORS },
    ),
    never(
      'verbs-load-late',
      'Each start of the command line loads all verbs, so they import what they run with only when they run.',
      { path: '^src/main/features/[^/]+/verbs\\.ts$' },
      {
        path: '^src/main/',
        pathNot: '^src/main/(command-line\\.ts$|platform/command-line/|features/[^/]+/verbs\\.ts$)',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    ),
    never(
      'main-features-tests',
      'Tests of the main process know neither the window nor the desktop.',
      { path: '^src/main/(features|platform)/' },
      { path: '^src/(renderer|preload|main/desktop)/' },
    ),

    never(
      'desktop-imports',
      "src/main/desktop knows the runtime's contract, the type of the composed program, src/shared, Node and electron.",
      { path: '^src/main/desktop/', pathNot: TEST },
      {
        path: ['^src/(?!shared/|main/desktop/)', '(^|/)node_modules/'],
        pathNot: [RUNTIME_CONTRACT, '^src/main/features\\.ts$', packages(['electron', 'zod'])],
      },
    ),
    never(
      'electron-in-desktop-only',
      'Only src/main/desktop, src/preload and the desktop composition root import electron.',
      {
        // default-app.mjs is the development stand-in for Electron's own app.
        pathNot: '^src/main/desktop/|^src/main/index\\.ts$|^src/preload/|^scripts/runner/default-app\\.mjs$',
      },
      { path: ['(^|/)node_modules/electron/', '^electron($|/)'] },
    ),
    never(
      'cli-without-desktop',
      'The command line runs on plain Node: nothing it imports leads to the desktop or to electron.',
      { path: '^src/main/cli\\.ts$' },
      { path: '^src/main/desktop/|(^|/)node_modules/electron/', reachable: true },
    ),
    never(
      'main-without-window',
      'The main process reaches the window through the contract in src/shared only.',
      { path: '^src/main/' },
      { path: '^src/(preload|renderer)/' },
    ),

    only(
      'preload-imports',
      'src/preload: src/shared and electron.',
      { path: '^src/preload/', pathNot: TEST },
      ['^src/(shared|preload)/', packages(['electron'])],
    ),

    never(
      'renderer-without-main',
      'The window reaches the main process through bridge.ts only.',
      { path: '^src/renderer/', pathNot: FAKE_BRIDGE },
      { path: '^src/(main|preload)/' },
    ),
    never(
      'fake-bridge-imports',
      'The bridge of window tests checks commands with the program’s own dispatch, and knows nothing else of src/main.',
      { path: FAKE_BRIDGE },
      {
        path: '^src/(main|preload)/',
        pathNot: '^src/main/desktop/(commands/dispatch|deltas/delta-stream)\\.ts$',
      },
    ),
    never(
      'renderer-without-node',
      'The window has no Node.',
      { path: '^src/renderer/', pathNot: TEST },
      { dependencyTypes: ['core'] },
    ),
    never(
      'bridge-imports',
      'bridge.ts knows src/shared only.',
      { path: '^src/renderer/bridge\\.ts$' },
      { path: '^src/renderer/' },
    ),
    never(
      'stores-imports',
      'Stores know the bridge, src/shared, and of ui what renders nothing.',
      { path: '^src/renderer/stores/' },
      { path: '^src/renderer/(?!stores/|bridge\\.ts$|testing/|ui/.*\\.ts$)' },
    ),
    never(
      'ui-imports',
      'Primitives of src/renderer/ui have no state and know nothing else of the window.',
      { path: '^src/renderer/ui/' },
      { path: '^src/renderer/(?!ui/|testing/)' },
    ),
    never(
      'features-imports',
      'Features know stores, ui, the bridge and src/shared.',
      { path: '^src/renderer/features/' },
      { path: '^src/renderer/(?!features/|stores/|ui/|bridge\\.ts$|testing/)' },
    ),
    never(
      'features-apart',
      'Features do not know each other: a view puts them together.',
      { path: '^src/renderer/features/([^/]+)' },
      { path: '^src/renderer/features/', pathNot: '^src/renderer/features/$1(/|$)' },
    ),
    never(
      'views-imports',
      'Views put features, stores and ui together.',
      { path: '^src/renderer/views/' },
      { path: '^src/renderer/(?!views/|features/|stores/|ui/|testing/)' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    parser: 'swc',
    moduleSystems: ['es6', 'cjs'],
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
}
