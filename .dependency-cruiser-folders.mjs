// Folders that import each other in a circle are one folder in disguise. Tests are left out: a test may use the
// testing tools of another folder, which would close a circle that the program does not have.
import files from './.dependency-cruiser.mjs'

export default {
  forbidden: [
    {
      name: 'no-folder-cycles',
      comment: 'Move what both folders need to a folder below them.',
      severity: 'error',
      scope: 'folder',
      from: {},
      to: { circular: true },
    },
  ],
  options: { ...files.options, exclude: { path: '\\.test\\.tsx?$|/testing/' } },
}
