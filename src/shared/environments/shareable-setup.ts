/**
 * The part of a set-up whose result is the same wherever it runs with the same inputs, so that it can be copied: commands
 * that install packages, or those of a file that names with `share` what they make.
 */
import type { EnvironmentCommands } from './environment.ts'

/** How many commands at the beginning of the set-up need not run where their result is copied. */
export function shareableSteps({ setup, share }: EnvironmentCommands): number {
  if (share !== undefined) return share.length === 0 ? 0 : setup.length
  const other = setup.findIndex((command) => !isInstall(command))
  return other < 0 ? setup.length : other
}

/** Whether a command only installs what lock files and manifests name. */
function isInstall(command: string): boolean {
  if (/[;|<>()`\n]|(?<!&)&(?!&)|\s(-g|--global|--prefix|-C|--cwd)\b/.test(command)) return false
  const parts = command.split('&&').map((part) => part.trim())
  const installs = parts.filter((part) => !/^cd [^\s$~]+$/.test(part))
  return installs.length > 0 && installs.every((part) => INSTALLS.some((install) => install.test(part)))
}

const INSTALLS: readonly RegExp[] = [
  /^npm (ci|clean-install|i|install)( -|$)/,
  /^(pnpm|bun) (i|install)( -|$)/,
  /^yarn( install)?( -|$)/,
  /^uv (sync|venv|pip (install|sync))( |$)/,
  /^(poetry|bundle|composer) install( |$)/,
  /^pipenv (install|sync)( -|$)/,
  /^python3? -m venv \.?venv$/,
  /^(\.\/)?\.?venv\/bin\/(pip3?|python3? -m pip) install /,
]

/** Folders and files that a package manager makes from lock files and manifests alone. */
const DEPENDENCIES = new Set([
  ...['node_modules', '.yarn', '.pnp.cjs', '.pnp.loader.mjs', '.pnpm-store', '.venv', 'venv'],
  ...['vendor', '.bundle'],
])

/**
 * Whether what a set-up made at an ignored path depends on lock files and manifests alone.
 * @param share names and paths that the repository adds
 */
export function isDependency(path: string, share: readonly string[] = []): boolean {
  const parts = path.replace(/\/$/, '').split('/')
  return (
    parts.some((part) => DEPENDENCIES.has(part) || part.endsWith('.egg-info') || share.includes(part)) ||
    share.some((named) => `${parts.join('/')}/`.startsWith(`${named}/`)) ||
    // The hooks of husky, which Troupe's git does not run.
    path.startsWith('.husky/_')
  )
}

const INPUTS = [
  ...['package\\.json', 'package-lock\\.json', 'npm-shrinkwrap\\.json', '\\.npmrc', 'yarn\\.lock'],
  ...[
    '\\.yarnrc(\\.yml)?',
    'pnpm-(lock|workspace)\\.yaml',
    '\\.pnpmfile\\.cjs',
    'bun\\.lockb?',
    'bunfig\\.toml',
  ],
  ...['\\.nvmrc', '\\.node-version', '\\.tool-versions', '\\.?mise\\.toml', 'pyproject\\.toml'],
  ...[
    'setup\\.(py|cfg)',
    'uv\\.(lock|toml)',
    'poetry\\.(lock|toml)',
    'Pipfile(\\.lock)?',
    '\\.python-version',
  ],
  ...['[^/]*requirements[^/]*\\.(txt|in)', 'requirements/[^/]+', 'constraints[^/]*\\.txt'],
  ...['Gemfile(\\.lock)?', '[^/]+\\.gemspec', '\\.ruby-version', 'composer\\.(json|lock)'],
  ...['patches/.+', '\\.yarn/(patches|plugins|releases)/.+'],
]
const INPUT = new RegExp(`(^|/)(${INPUTS.join('|')})$`)

/** Whether a file decides what a package manager installs. */
export const isInput = (path: string): boolean => INPUT.test(path)

/** What was copied, for a line: `node_modules and 3 more`. */
export function sharedText(paths: readonly string[]): string {
  const [first = 'nothing', ...more] = paths
  return more.length === 0 ? first : `${first} and ${more.length} more`
}
