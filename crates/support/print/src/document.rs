//! The text on a subject, before a format is chosen: headings, lines, commands and tables, in the
//! order in which they are read. Only `print` knows formats.

use cupel_analyse::Ratio;

/// The parts of a text.
#[derive(Debug, Default)]
pub struct Document {
    /// In the order in which they are read.
    pub blocks: Vec<Block>,
}

/// One part. Its texts may come from outside: the printers make them harmless.
#[derive(Debug)]
pub enum Block {
    /// A heading of level 1 or 2.
    Heading(usize, String),
    /// One line or more of prose.
    Line(Line),
    /// A command that can be copied.
    Command {
        /// The depth in a list.
        depth: usize,
        /// The command.
        command: String,
    },
    /// Figures.
    Table(Table),
    /// Space before the next part.
    Gap,
    /// How to read the shortened and drawn parts of the tables above.
    Reading,
}

/// Prose.
#[derive(Debug)]
pub struct Line {
    /// The depth in a list, if it is an item of one.
    pub item: Option<usize>,
    /// The prose.
    pub text: String,
    /// The part to see first.
    pub emphasis: Emphasis,
}

/// The part of a line to see first.
#[derive(Clone, Copy, Debug)]
pub enum Emphasis {
    /// No part.
    None,
    /// The first occurrence of a word.
    Word(&'static str, Colour),
    /// All of it.
    All,
}

/// The colours of terminals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colour {
    /// Good.
    Green,
    /// Open.
    Yellow,
    /// Bad.
    Red,
    /// Wrong.
    Magenta,
}

/// A table.
#[derive(Debug)]
pub struct Table {
    /// How it fits a terminal.
    pub fit: Fit,
    /// The heads of its columns.
    pub columns: Vec<Column>,
    /// Its rows, each with a cell for every column.
    pub rows: Vec<Row>,
}

/// How a table fits a terminal that is too narrow, or wide enough for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// As it is.
    Whole,
    /// The first column has names, which can be shortened.
    Names,
    /// Names in the first column, with a drawing of each row's interval if there is space.
    Intervals,
    /// The columns can be distributed over several tables.
    Map,
}

/// A column's head, and where its cells stand.
#[derive(Debug)]
pub struct Column {
    /// The head.
    pub title: String,
    /// Whether its cells end at the right.
    pub right: bool,
}

/// One row.
#[derive(Debug)]
pub struct Row {
    /// A cell for every column.
    pub cells: Vec<Cell>,
    /// The ratio to draw.
    pub ratio: Option<Ratio>,
}

/// One cell.
#[derive(Debug, PartialEq)]
pub struct Cell {
    /// The text before the suffix.
    pub text: String,
    /// The end of a name that is never shortened.
    pub suffix: &'static str,
    /// Its colour, if it has one.
    pub colour: Option<Colour>,
}

impl Document {
    /// A heading of level 1 or 2.
    pub fn heading(&mut self, level: usize, text: impl Into<String>) {
        self.blocks.push(Block::Heading(level, text.into()));
    }

    /// Prose that is in no list.
    pub fn paragraph(&mut self, text: impl Into<String>) {
        self.line(None, text, Emphasis::None);
    }

    /// A list's item at this depth.
    pub fn item(&mut self, depth: usize, text: impl Into<String>) {
        self.line(Some(depth), text, Emphasis::None);
    }

    /// A remark on the part above it.
    pub fn note(&mut self, text: impl Into<String>) {
        self.item(1, text);
    }

    /// Prose, of which a part or all stands out.
    pub fn line(&mut self, item: Option<usize>, text: impl Into<String>, emphasis: Emphasis) {
        self.blocks.push(Block::Line(Line { item, text: text.into(), emphasis }));
    }

    /// A command that can be copied, at this depth in a list.
    pub fn command(&mut self, depth: usize, command: String) {
        self.blocks.push(Block::Command { depth, command });
    }

    /// Figures.
    pub fn table(&mut self, table: Table) {
        self.blocks.push(Block::Table(table));
    }

    /// Space before the next part.
    pub fn gap(&mut self) {
        self.blocks.push(Block::Gap);
    }
}

impl Table {
    /// A table without rows.
    pub fn new(fit: Fit, columns: impl IntoIterator<Item = Column>) -> Table {
        Table { fit, columns: columns.into_iter().collect(), rows: vec![] }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = Cell>) {
        self.drawn_row(cells, None);
    }

    /// Adds a row of which a ratio can be drawn.
    pub fn drawn_row(&mut self, cells: impl IntoIterator<Item = Cell>, ratio: Option<Ratio>) {
        self.rows.push(Row { cells: cells.into_iter().collect(), ratio });
    }
}

impl Cell {
    /// A cell, which may have a colour.
    pub fn new(text: impl ToString, colour: Option<Colour>) -> Cell {
        Cell { text: text.to_string(), suffix: "", colour }
    }
}

impl<T: ToString> From<T> for Cell {
    fn from(text: T) -> Cell {
        Cell::new(text, None)
    }
}

/// A column of words.
pub fn left(title: impl Into<String>) -> Column {
    Column { title: title.into(), right: false }
}

/// A column of figures.
pub fn right(title: impl Into<String>) -> Column {
    Column { title: title.into(), right: true }
}
