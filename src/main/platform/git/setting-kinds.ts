/** The settings of a repository, by what they make git do. */

/**
 * `runs`: it makes git run a program, or take settings or files from another place. `plain`: it does neither. `idle`: it
 * could, and has a value with which it does not. `unknown`: no list has it.
 */
export type SettingKind = 'runs' | 'plain' | 'idle' | 'unknown'

/** @param name as git prints it: section and key in any case */
export function settingKind(name: string, value: string): SettingKind {
  const lower = name.toLowerCase()
  if (NAMES_PROGRAM.test(value)) return 'runs'
  if (fits(RUNS, lower)) {
    if (!HARMLESS.test(value)) return 'runs'
    return OF_LFS.test(lower) ? 'plain' : 'idle'
  }
  return fits(PLAIN, lower) ? 'plain' : 'unknown'
}

/** An address that names a program: `ext::sh -c …`. */
const NAMES_PROGRAM = /^[\w-]+::/
/** Nothing, or a program of Git LFS, which people set up when they see that it is missing. */
const HARMLESS = /^(|\/dev\/null|git-lfs[a-z-]* (clean|smudge|filter-process)( -- %f)?)$/
const OF_LFS = /^filter\.lfs\.(clean|smudge|process)$/

/**
 * The guards of each call switch off the file monitor and the hooks, and the calls that compare content switch off the
 * programs for that.
 */
const RUNS: readonly RegExp[] = [
  /^core\.(worktree|sshcommand|gitproxy|askpass|alternaterefscommand|attributesfile|editor)$/,
  /^sequence\.editor$/,
  /^filter\..+\.(clean|smudge|process)$/,
  /^merge\..+\.driver$/,
  /^credential\.(.+\.)?helper$/,
  /^gpg\.(.+\.)?program$/,
  /^remote\..+\.(promisor|uploadpack|receivepack|vcs)$/,
  /^extensions\.partialclone$/,
  /^uploadpack\..+$/,
  /^protocol\.(.+\.)?allow$/,
  /^submodule\..+\.update$/,
  /^include\.path$/,
  /^includeif\..+$/,
]

const PLAIN: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|sparsecheckout|sparsecheckoutcone|sharedrepository|longpaths|protectntfs|protecthfs|untrackedcache|splitindex)$/,
  /^user\.(name|email)$/,
  /^(author|committer)\.(name|email)$/,
  /^remote\..+\.(url|pushurl|fetch|push|tagopt|prune|mirror)$/,
  /^branch\..+\.(remote|merge|rebase|pushremote|description)$/,
  /^submodule\.active$/,
  /^submodule\..+\.(url|active|branch)$/,
  /^init\.defaultbranch$/,
  /^extensions\.(objectformat|refstorage|worktreeconfig)$/,
  /^(pull|push|fetch|merge|rebase|commit|tag|gc|maintenance|index|feature|status|color|advice|diff)\.(rebase|ff|default|autosetupremote|prune|conflictstyle|autostash|autosquash|gpgsign|verbose|auto|version|threads|manyfiles|ui|status|detachedhead|renames|algorithm)$/,
  /^lfs\.repositoryformatversion$/,
  /^filter\.lfs\.required$/,
]

const fits = (patterns: readonly RegExp[], name: string): boolean =>
  patterns.some((pattern) => pattern.test(name))
