// Linting: strict where types are known, and without any way to turn text into markup.
import tseslint from 'typescript-eslint';

const markup = ['innerHTML', 'outerHTML', 'insertAdjacentHTML', 'write', 'srcdoc'];

export default tseslint.config(
    { ignores: ['dist/', 'node_modules/'] },
    {
        files: ['src/**/*.ts'],
        extends: [tseslint.configs.strictTypeChecked],
        languageOptions: { parserOptions: { projectService: true } },
        rules: {
            '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
            'no-restricted-properties': [
                'error',
                ...markup.map((property) => ({
                    property,
                    message: 'names are text, never markup',
                })),
            ],
        },
    },
    { files: ['*.mjs', '*.js', 'test/**/*.mjs'], extends: [tseslint.configs.strict] },
);
