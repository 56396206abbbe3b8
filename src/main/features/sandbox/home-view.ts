/**
 * What commands in the sandbox see of the user's home: toolchains and caches, read-only, and nothing else. The rest of
 * the home is a private folder of the agent, so that programs can write their own files there.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'

/** A toolchain's programs, libraries and downloads. Files with logins are not below any of these. */
const TOOLCHAINS: readonly string[] = names(`
  node      .nvm .fnm .local/share/fnm .volta .nodenv .n .npm/_cacache .npm/_npx .npm-global .local/share/pnpm
            .pnpm-store .cache/node .cache/node-gyp .cache/yarn .yarn/berry .yarn/releases .yarn/bin
            .config/yarn/global .bun/bin .bun/install .deno/bin .cache/deno .corepack .cache/corepack
  python    .pyenv .local/lib .local/pipx .local/share/pipx .local/share/uv .local/share/virtualenvs .virtualenvs
            .conda miniconda3 miniconda .miniconda3 anaconda3 miniforge3 mambaforge micromamba .cache/pip
            .cache/pypoetry .cache/pre-commit .local/share/hatch .rye
  rust      .rustup .cargo/bin .cargo/registry .cargo/git .cargo/env
  go        go/bin go/pkg sdk .goenv .g .cache/golangci-lint
  jvm       .sdkman .jenv .gradle/caches .gradle/wrapper .gradle/jdks .gradle/native .m2/repository .m2/wrapper
            .ivy2/cache .ivy2/local .cache/coursier .local/share/coursier .sbt/boot .konan .jdks
  dotnet    .dotnet .nuget/packages .local/share/NuGet
  ruby      .rbenv .rvm .gem/ruby .local/share/gem .bundle/cache .chruby .rubies
  others    .asdf .local/share/mise .local/share/rtx .local/bin bin .ghcup .cabal/bin .cabal/packages .cabal/store
            .stack/programs .stack/snapshots .opam .elan .juliaup .julia .mix .hex/packages .pub-cache/hosted
            .pub-cache/bin .swiftpm .swiftly .zig .cache/zig .cache/bazel .cache/bazelisk .cache/ms-playwright
            .cache/puppeteer .cache/Cypress .cache/electron .cache/electron-builder .cache/huggingface/hub
            .cache/torch .composer/vendor .composer/cache .config/composer/vendor .cache/composer .nix-profile
            Library/pnpm Library/Python Library/Caches/pip Library/Caches/Yarn Library/Caches/ms-playwright
            Library/Caches/pypoetry Library/Caches/electron .linuxbrew .cpan .cpanm perl5 .terraform.d/plugin-cache .krew/bin
            .config/git/ignore .config/git/attributes
`)

/**
 * Where package managers keep what they download. They write there, and run it later without a question: a command that
 * may download has private folders in place of these.
 */
const DOWNLOADS: readonly string[] = names(`
  node      .npm/_cacache .npm/_npx .local/share/pnpm/store .pnpm-store .cache/yarn .yarn/berry .bun/install/cache
            .cache/deno .corepack .cache/corepack .cache/node/corepack .cache/node-gyp Library/Caches/Yarn
  python    .cache/pip .cache/pypoetry .cache/pre-commit Library/Caches/pip Library/Caches/pypoetry
  rust      .cargo/registry .cargo/git
  go        go/pkg
  jvm       .gradle/caches .gradle/wrapper .m2/repository .m2/wrapper .ivy2/cache .cache/coursier .sbt/boot
  dotnet    .nuget/packages .local/share/NuGet
  ruby      .bundle/cache .local/share/gem .gem/ruby
  others    .cabal/packages .hex/packages .pub-cache/hosted .cache/composer .composer/cache .cache/bazel
`)

/** The folders for downloads in the home, as paths below it, that exist or are below a toolchain. */
export const downloadFolders = (home: string): readonly string[] =>
  DOWNLOADS.filter((name) => isFolder(join(home, name)))

/** A path of the home that commands read: bound as it is, or a link that is made again with its target bound. */
export interface HomeEntry {
  readonly path: string
  /** The folder or file behind it, links resolved. */
  readonly real: string
  /** The text of the link; null: it is no link. */
  readonly link: string | null
}

/**
 * The entries that exist.
 * @param path the variable PATH: its folders are visible too, with the libraries beside them
 * @param also further paths that the user allows, absolute
 * @param downloads whether the downloads of package managers are among them
 */
export function homeView({
  home,
  path,
  also,
  downloads,
  named = TOOLCHAINS,
}: {
  readonly home: string
  readonly path: string
  readonly also: readonly string[]
  readonly downloads: boolean
  /** Of an image, none: it brings its own. */
  readonly named?: readonly string[]
}): readonly HomeEntry[] {
  const programs = path.split(delimiter).filter((folder) => folder.startsWith('/'))
  const inHome = namesIn(home)
  const there = named.filter(
    (name) => inHome.has(name.split('/', 1)[0] ?? name) && (downloads || !DOWNLOADS.includes(name)),
  )
  const wanted = [...there.map((name) => join(home, name)), ...programs.flatMap(toolchainOf), ...also]
  return [...new Set(wanted)].flatMap((each) => entryAt(each) ?? [])
}

/** The user's git settings without logins, for the private home. Null: there are none. */
export function gitSettingsWithoutLogins(home: string): string | null {
  try {
    let isLogin = false
    const lines = readFileSync(join(home, '.gitconfig'), 'utf8').split('\n')
    return lines
      .filter((line) => {
        const section = /^\s*\[\s*([\w.-]+)/.exec(line)?.[1]?.toLowerCase()
        if (section !== undefined) isLogin = /^(credential|http|sendemail|imap|github|gitlab)$/.test(section)
        return !isLogin && !/:\/\/[^/\s]*@/.test(line)
      })
      .join('\n')
  } catch {
    return null
  }
}

/** Few of the toolchains are there, and one look at the home tells which are not. */
function namesIn(folder: string): ReadonlySet<string> {
  try {
    return new Set(readdirSync(folder))
  } catch {
    return new Set()
  }
}

function entryAt(path: string): HomeEntry | null {
  try {
    const found = lstatSync(path)
    const real = realpathSync.native(path)
    return { path, real, link: found.isSymbolicLink() ? readlinkSync(path) : null }
  } catch {
    return null
  }
}

/** A folder of programs, and the toolchain around it if it has libraries of its own. */
function toolchainOf(folder: string): readonly string[] {
  const around = dirname(folder)
  const isWhole =
    /\/(bin|shims|sbin)$/.test(folder) &&
    !/\/\.local$/.test(around) &&
    ['lib', 'libexec', 'versions'].some((name) => isFolder(resolve(around, name))) &&
    !isFolder(resolve(around, '.ssh'))
  return isWhole ? [folder, around] : [folder]
}

/** False too where the user may not look, as below a folder of another user's that PATH names. */
function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
  } catch {
    return false
  }
}

/** The words of a table, without the heading of each row. */
function names(table: string): readonly string[] {
  const rows = table.split('\n').map((row) => row.replace(/^ {2}\S+ +/, ''))
  return rows.flatMap((row) => row.trim().split(/\s+/)).filter((word) => word !== '')
}
