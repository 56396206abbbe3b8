/** A command as a shell is given it, with what makes the shell tell in which folder it ended. */

/** The descriptor at which the shell is given the way back for its folder. */
export const REPORT_FD = 3

/**
 * The arguments that let a shell run a command in itself, not in a child, so that `cd` and `exit` are the
 * shell's own, and without the user's start-up files. The folder is reported on leaving, by whatever way:
 * after the last command, or from a trap where the command calls `exit`. A trap that the command sets for
 * itself replaces ours, which then is missed only if the command also exits by itself.
 */
export function shellArguments(command: string, dialect: 'bash' | 'sh'): readonly string[] {
  // Scripts use 3 to 9 for themselves; only bash knows higher ones.
  const fd = dialect === 'bash' ? 47 : 9
  const report = `command pwd -P >&${fd}`
  const script = [
    // One line, so that the line numbers in messages are those of the command.
    [
      `exec ${fd}>&${REPORT_FD} ${REPORT_FD}>&- 2>&1`,
      // Tracing that the command switched on is switched off where nobody sees it.
      `trap '{ set +x; ${report}; } 2>/dev/null' EXIT`,
      'troupe_command=$1; shift; eval "$troupe_command"',
    ].join('; '),
    `{ set -- $?; set +ex; ${report}; } 2>/dev/null`,
    'exit "$1"',
  ].join('\n')
  const plain = dialect === 'bash' ? ['--noprofile', '--norc'] : []
  return [...plain, '-c', script, dialect, command]
}

/** The folder of a report: its last whole line, or null where there is none. */
export function folderOfReport(report: string): string | null {
  const lines = report.split('\n').slice(0, -1)
  const last = lines.at(-1)
  return last?.startsWith('/') ? last : null
}
