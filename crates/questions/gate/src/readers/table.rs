//! Tables as programs print them: CSV, Markdown, and those drawn with lines.

/// A table with its header.
#[derive(Debug)]
pub struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// How the names of columns with parameters begin, in CSV of JMH and of hyperfine.
pub const PARAMETERS: [&str; 2] = ["Param: ", "parameter_"];

/// A row of a table.
#[derive(Clone, Copy)]
pub struct Row<'a> {
    header: &'a [String],
    cells: &'a [String],
}

impl Table {
    /// The tables of a text whose columns are divided by lines.
    pub fn drawn(text: &str) -> Vec<Table> {
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        let blocks = lines.split(|line| !line.contains(['|', '│', '┌', '├', '└']));
        blocks.flat_map(parts).filter_map(Table::of_lines).collect()
    }

    fn of_lines(lines: &[&str]) -> Option<Table> {
        let mut rows = lines.iter().filter(|line| line.chars().any(char::is_alphanumeric));
        let first = rows.next()?;
        let bar = if first.contains('│') { '│' } else { '|' };
        let header = cells(first, bar);
        let rows = rows.map(|row| {
            // nanobench writes no last bar, but its last cell has code.
            let least = match row.matches('`').count() {
                _ if row.ends_with(bar) => 0,
                0 | 1 => usize::MAX,
                _ => header.len(),
            };
            whole(cells(row, bar), least)
        });
        Some(Table { rows: rows.collect(), header })
    }

    /// The tables of a text in CSV whose header begins with this column.
    pub fn csv(text: &str, first: &str) -> Vec<Table> {
        let mut tables = Vec::new();
        let mut rest = text;
        while let Some(line) = rest.lines().find(|line| is_header(line, first)) {
            let start = line.as_ptr() as usize - rest.as_ptr() as usize;
            let after = line.trim_start_matches('"')[first.len()..].trim_start_matches('"');
            let delimiter = after.bytes().next().unwrap_or(b',');
            let block = &rest[start..];
            let next = block.lines().skip(1).find(|line| is_header(line, first));
            let end = next.map(|line| line.as_ptr() as usize - block.as_ptr() as usize);
            let block = &block[..end.unwrap_or(block.len())];
            let gap = block.find("\n\n").unwrap_or(block.len()) as u64;
            let mut reader = csv::ReaderBuilder::new();
            reader.delimiter(delimiter).flexible(true).trim(csv::Trim::All);
            let mut reader = reader.from_reader(block.as_bytes());
            let header = reader.headers().map(strings).unwrap_or_default();
            let least = header.iter().rposition(|name| !name.is_empty()).map_or(0, |at| at + 1);
            // A program may print between its rows, and after them. After an empty line, it may be
            // another table. A row with fewer cells begins with a quote, or the text ends in it.
            let is_row = |record: &csv::StringRecord| {
                let place = record.position().map_or(0, csv::Position::byte);
                let row = &block[place as usize..];
                let is_short = record.len() < least;
                let is_last = || next.is_none() && !row.trim_end().contains('\n');
                let may_be_short = row.trim_start().starts_with('"') || is_last();
                record.len() > 1
                    && (place < gap || record.len() == header.len())
                    && (!is_short || may_be_short)
            };
            let rows = reader.records().flatten().filter(is_row);
            let mut rows: Vec<Vec<String>> =
                rows.map(|record| whole(strings(&record), least)).collect();
            // In a row with more cells, it is not known which is which.
            rows.iter_mut().filter(|row| row.len() > header.len()).for_each(|row| row.truncate(1));
            // A parameter without an end of its line may be longer, and so another one.
            let ends = header.last().filter(|name| PARAMETERS.iter().any(|p| name.starts_with(p)));
            if let Some(cells) = rows.last_mut().filter(|cells| cells.len() == header.len())
                && ends.is_some_and(|_| !text.ends_with(['\n', '"']))
                && cells.last().is_some_and(|cell| text.ends_with(cell))
            {
                cells.pop();
            }
            tables.push(Table { header, rows });
            rest = &rest[start + block.len()..];
        }
        tables
    }

    /// Whether it has all these columns.
    pub fn has(&self, columns: &[&str]) -> bool {
        columns.iter().all(|column| place(&self.header, column).is_some())
    }

    /// Its header.
    pub fn header(&self) -> &[String] {
        &self.header
    }

    /// The figures in these columns, without their units.
    pub fn figures<'a>(&'a self, columns: &'a [&str]) -> impl Iterator<Item = &'a str> {
        let cells = self.rows().flat_map(|row| columns.iter().map(move |column| row.get(column)));
        cells.map(|cell| super::text::split_figure(cell).0)
    }

    /// Its rows.
    pub fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        self.rows.iter().map(|cells| Row { header: &self.header, cells })
    }
}

/// The tables in lines without a gap: a new one begins with a drawn top, or with the line before one
/// of dashes, which Markdown has below a header.
fn parts<'a, 'b>(lines: &'a [&'b str]) -> Vec<&'a [&'b str]> {
    let is_rule = |line: &str| line.contains('-') && line.chars().all(|c| "|:-+ \t".contains(c));
    let begins = |at: usize| {
        lines[at].starts_with('┌') || lines.get(at + 1).is_some_and(|next| is_rule(next))
    };
    let mut all = Vec::new();
    let mut start = 0;
    for at in (1..lines.len()).filter(|at| begins(*at)) {
        all.push(&lines[start..at]);
        start = at;
    }
    all.push(&lines[start..]);
    all
}

/// The cells of a row, without the last one if there are fewer: the row breaks off in that, so its
/// figure may be cut.
fn whole(mut cells: Vec<String>, least: usize) -> Vec<String> {
    if cells.len() < least {
        cells.pop();
    }
    cells
}

fn is_header(line: &str, first: &str) -> bool {
    let line = line.trim_start_matches('"');
    let after = line.strip_prefix(first).map(|after| after.trim_start_matches('"'));
    after.is_some_and(|after| after.starts_with([',', ';', '\t']))
}

fn strings(record: &csv::StringRecord) -> Vec<String> {
    record.iter().map(String::from).collect()
}

/// The cells of a line, divided by a bar, which one of `|` may have in quotes or after a backslash.
fn cells(line: &str, bar: char) -> Vec<String> {
    let line = line.strip_prefix(bar).unwrap_or(line);
    let line = line.strip_suffix(bar).unwrap_or(line);
    let (mut cells, mut cell, mut is_quoted) = (Vec::new(), String::new(), false);
    for (at, c) in line.char_indices() {
        is_quoted = if c == '`' { !is_quoted && line[at + 1..].contains('`') } else { is_quoted };
        if c == '|' && cell.ends_with('\\') {
            cell.pop();
        } else if c == bar && !is_quoted {
            cells.push(std::mem::take(&mut cell));
            continue;
        }
        cell.push(c);
    }
    cells.push(cell);
    cells.iter().map(|cell| cell.trim().trim_matches(['\'', '`', '*']).to_string()).collect()
}

/// The column with this name, or with this name and a unit.
fn place(header: &[String], name: &str) -> Option<usize> {
    let exact = header.iter().position(|column| column == name);
    exact.or_else(|| header.iter().position(|column| is_with_unit(column, name)))
}

fn is_with_unit(column: &str, name: &str) -> bool {
    let rest = column.strip_prefix(name).filter(|_| !name.is_empty());
    rest.is_some_and(|rest| rest.starts_with([' ', '(']))
}

impl<'a> Row<'a> {
    /// The cell in this column; empty if there is none.
    pub fn get(self, column: &str) -> &'a str {
        let place = place(self.header, column);
        place.and_then(|place| self.cells.get(place)).map_or("", String::as_str)
    }

    /// Whether it breaks off in a parameter or before it.
    pub fn lacks_parameter(self) -> bool {
        let mut lacking = self.header.iter().skip(self.cells.len());
        lacking.any(|column| PARAMETERS.iter().any(|begin| column.starts_with(begin)))
    }

    /// The unit that the header of a column has in brackets.
    pub fn unit(self, column: &str) -> &'a str {
        let header = place(self.header, column).map_or("", |place| &self.header[place]);
        let (_, unit) = header.split_once(['(', '[']).unwrap_or_default();
        unit.trim_end_matches([')', ']'])
    }

    /// The columns and cells of the row.
    pub fn cells(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.header.iter().map(String::as_str).zip(self.cells.iter().map(String::as_str))
    }
}
