/** Attacks that need more than a model and a folder: the tests beside the code try them. */
export interface AttackElsewhere {
  readonly attack: string
  /** A sentence. */
  readonly defense: string
  readonly file: string
  /** A part of the test's title. */
  readonly title: string
}

export const elsewhere: readonly AttackElsewhere[] = [
  {
    attack: 'a name that resolves to a private address, also at the second look-up',
    defense: 'A name is resolved once for a connection, and the connection goes to that address.',
    file: 'src/main/platform/web/fetch-page.integration.test.ts',
    title: 'a name is resolved once for a connection, and again at each redirect',
  },
  {
    attack: 'a redirect to a private address, or to a file',
    defense: 'Each redirect is checked like an address.',
    file: 'src/main/platform/web/fetch-page.integration.test.ts',
    title: 'a redirect to a private address, or to a file, is refused',
  },
  {
    attack: 'a redirect to another host',
    defense: 'It is named to the model, and needs a permission of its own.',
    file: 'src/main/platform/web/fetch-page.integration.test.ts',
    title: 'a redirect to another host is named, not followed',
  },
  {
    attack: 'more spellings of private addresses',
    defense: 'Addresses are compared as numbers.',
    file: 'src/main/platform/web/web-address.test.ts',
    title: 'there are more than sixty spellings',
  },
  {
    attack: 'a page that is small until it is decompressed',
    defense: 'A page ends at 10 MB.',
    file: 'src/main/platform/web/fetch-page.integration.test.ts',
    title: 'a page over 10 MB ends',
  },
  {
    attack: "an MCP server's command that changed after its approval",
    defense: 'An approval holds for one definition; a changed one waits again.',
    file: 'src/main/features/mcp/mcp-servers.integration.test.ts',
    title: 'runs only once the user approved it, and asks again when its entry changed',
  },
  {
    attack: 'an MCP server that reads the keys of the program',
    defense: 'A server gets its own variables only.',
    file: 'src/main/features/mcp/mcp-servers.integration.test.ts',
    title: 'a server gets its own variables and none of the program’s',
  },
  {
    attack:
      'instructions, skills, commands, notes and agents of a project that a command, a merge or a link changed',
    defense: 'Agents are told the version that the user has seen last.',
    file: 'src/main/features/permissions/seen-texts.integration.test.ts',
    title:
      'texts that changed are told in their former version until the user has seen them, also in a later run',
  },
  {
    attack: 'settings and texts in a new folder of a trusted one',
    defense: 'What was not there when the user was asked counts once it was approved.',
    file: 'src/main/features/permissions/seen-texts.integration.test.ts',
    title: 'in a folder that is trusted with the one around it, nothing counts at first',
  },
  {
    attack: "a script of the folder that a hook, a server or the status line of the user's own names",
    defense: 'A changed script waits, also one behind a link or in package.json.',
    file: 'src/main/features/hooks/approved-scripts.integration.test.ts',
    title:
      "a hook of the user's own waits once the script of the folder that it names has changed, or was made",
  },
  {
    attack: 'a running command whose mount was replaced, or after which a rule came',
    defense: 'The command is stopped, in words.',
    file: 'src/main/features/sandbox/sandbox.integration.test.ts',
    title: 'in the background is stopped at once when a kept file is made anew at its number',
  },
  {
    attack: 'a hook that changed after its approval',
    defense: 'A changed hook waits again.',
    file: 'src/main/features/hooks/hooks.integration.test.ts',
    title: "a project's hook runs only after its approval, and a changed one waits again",
  },
  {
    attack:
      "a project's settings with an address of the API, a search path, a program for the key or the status line, or a mode",
    defense: 'These count only in files of the user.',
    file: 'src/main/features/permissions/untrusted-folder.integration.test.ts',
    title: 'except what a project may never do',
  },
  {
    attack: 'a bundle of a remote worker with hostile names, links or settings',
    defense: 'A bundle is received in quarantine and checked, whatever it claims.',
    file: 'src/main/features/worktrees/bundles/hostile-bundles.integration.test.ts',
    title: 'test.each(cases)',
  },
  {
    attack: 'paths of the project in the mouth of an agent in a worktree, and back',
    defense: 'Rules for the project apply to the worktree and to nothing beside it.',
    file: 'src/main/runtime/permissions/worktree-rules.test.ts',
    title: 'with a path of the project apply to the worktree instead',
  },
  {
    attack: "git commands of an agent in a worktree that reach the user's branches",
    defense: 'Only the branch and the folder of the worktree may change.',
    file: 'src/main/runtime/permissions/worktree-git.test.ts',
    title: 'git -C',
  },
  {
    attack: 'a message from another frame of the window',
    defense: "Only the main frame of the program's page may send commands.",
    file: 'src/main/desktop/security/security.test.ts',
    title: 'from no inner frame, even with the program’s page',
  },
  {
    attack: 'a key in the environment that commands inherit',
    defense: 'Keys are read once and removed from the environment.',
    file: 'src/main/environment.test.ts',
    title: 'keys are read and removed from the environment, also for child processes',
  },
  {
    attack: "a model that writes tags of Troupe's own notes",
    defense: 'Tags in text from tools are escaped.',
    file: 'src/main/runtime/notices.test.ts',
    title: 'a tool receives the tag that the model saw escaped',
  },
  {
    attack: 'random hostile command lines in real shells',
    defense: 'What needs no permission changes nothing and shows nothing from outside.',
    file: 'src/main/features/permissions/decide-command.integration.test.ts',
    title: 'allowed commands change nothing and show nothing from outside the folder',
  },
  {
    attack:
      'a call of an external agent whose command is in an unusual place: arguments, a script, a nested value, its title alone',
    defense:
      "All that a call carries is judged; what can't be read as one known kind is asked about each time, and no rule covers it.",
    file: 'src/main/features/external-agents/backing/judged-call.test.ts',
    title: 'judges everything that a call carries',
  },
  {
    attack: 'a call of an external agent that may be what a rule denies, in the mode bypassPermissions',
    defense: 'A rule that denies counts for what the call may be.',
    file: 'src/main/runtime/permissions/decide-undeclared.test.ts',
    title: 'denies a call of an unknown kind that may be what it denies',
  },
  {
    attack: 'an MCP server whose name could stand for another one',
    defense:
      'In the names of tools no two servers have one name, and a rule that denies counts for both spellings.',
    file: 'src/main/features/mcp/mcp-tools.test.ts',
    title: 'no two servers have one name in the names of tools',
  },
  {
    attack: 'a guard whose script, interpreter or server is gone, that does not answer, or that fails',
    defense: 'The calls that it checks are denied until the user repairs it or turns it off.',
    file: 'src/main/features/hooks/hooks.integration.test.ts',
    title: 'a guard that can’t decide stops the calls that it checks, in words',
  },
  {
    attack: 'a file of rules that is deleted or broken while Troupe runs',
    defense: 'Its rules that deny or ask hold.',
    file: 'src/main/features/settings/feature.integration.test.ts',
    title: 'rules that deny or ask outlive their deleted or broken file until the next start',
  },
  {
    attack: 'a file of rules that is broken at the start, or a folder in its place',
    defense: 'The rules that can be read hold; where some may be lost, Troupe asks about everything.',
    file: 'src/main/features/settings/feature.integration.test.ts',
    title: 'rules of a file that is broken at the start hold, or Troupe asks',
  },
  {
    attack: "a plugin's link to a file outside, which changes after the approval",
    defense: 'Files behind links are part of what the user approves.',
    file: 'src/main/features/plugins/installed-plugins.integration.test.ts',
    title: 'a change of a file outside that a link of the plugin leads to turns the plugin off',
  },
  {
    attack: 'a plugin named `..`, or like a path',
    defense: 'A name that could be a path is refused.',
    file: 'src/main/features/plugins/installed-plugins.integration.test.ts',
    title: 'a plugin can’t be named like a parent folder',
  },
  {
    attack: 'a password or a token in the address of a repository',
    defense: 'It is neither stored nor repeated.',
    file: 'src/main/features/plugins/installed-plugins.integration.test.ts',
    title: 'a clone has no git folder, and a login in an address is neither stored nor repeated',
  },
  {
    attack: 'a job for a worker with ids that are paths',
    defense: 'Ids that could be paths are refused.',
    file: 'src/main/features/workers/nats/jobs/worker-policy.test.ts',
    title: 'ids of a job that lead to other folders are refused',
  },
  {
    attack: 'a job for a worker whose definition brings hooks or a program',
    defense: "The worker's policy holds for all that a job brings.",
    file: 'src/main/features/workers/nats/jobs/worker-policy.test.ts',
    title: 'a definition brings no hooks, unless the policy allows them, and no program',
  },
  {
    attack: 'a stream of a server with endless text or blocks',
    defense: 'A limit ends the attempt within seconds.',
    file: 'src/main/platform/models/message-assembly.test.ts',
    title: 'a broken stream is a failure of the server',
  },
  {
    attack: 'a remote whose address names a program, or begins like an option',
    defense: 'Only https, ssh, git and folder addresses are used.',
    file: 'src/main/features/pull-requests/pull-requests.integration.test.ts',
    title: 'nothing is pushed to the target, to the main branch, or to an address that names a program',
  },
  {
    attack: 'a hook of a repository that runs with a push',
    defense: 'A push runs no hooks.',
    file: 'src/main/features/pull-requests/pull-requests.integration.test.ts',
    title: 'hooks of the repository do not run when it is pushed',
  },
  {
    attack: 'a title, a branch name or a comment that is an option of gh or glab',
    defense: 'They are sent as JSON on the input of the program.',
    file: 'src/main/features/pull-requests/forges.integration.test.ts',
    title: 'gh gets titles, branches and replies on its input, never as arguments',
  },
  {
    attack: 'the log of a check that gives instructions, holds a key, or closes its quotation',
    defense: 'It is marked as text from outside, masked, and fenced.',
    file: 'src/main/features/pull-requests/pull-requests.integration.test.ts',
    title:
      'a failed check goes to the agent with the end of its log, without secrets and marked as text from outside',
  },
  {
    attack: 'an address from a forge that leads to another host',
    defense: "Only https addresses of the remote's own host are opened.",
    file: 'src/main/features/pull-requests/remote-address.test.ts',
    title: 'only https addresses of the own host are opened',
  },
]
